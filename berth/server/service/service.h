// Service: turns a request into its response, without any network. It reads snapshots and the
// archive itself; a request that changes something becomes a command for the controller.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "berth/control/turn/command.h"
#include "berth/server/auth/privacy.h"
#include "berth/server/auth/registrar.h"
#include "berth/server/metrics/diagnostics.h"
#include "berth/server/metrics/metric_counts.h"
#include "berth/server/service/archive.h"
#include "berth/server/service/response.h"
#include "berth/server/service/rest_answers.h"
#include "berth/server/snapshot/read_model.h"
#include "berth/server/submit/job_submit.h"
#include "berth/server/views/job_filter.h"
#include "berth/slurmrest/rest_routes.h"

namespace berth {

// What GET /v1/ping reports of this process.
struct ServerIdentity {
    std::string version, host;
    Time started_at{};
    std::int32_t pid = 0;
};

// What was asked, until the answer is there. `rest`: in slurmrestd's words.
struct AskedRoute {
    api::RouteId route{};
    std::optional<slurmrest::RestCall> rest;
    bool held = false;  // A submission of slurmrestd's that asks for a held job.
    std::vector<std::string> messages = {};  // From the site's job_submit.lua, for the user.
};
// The controller must answer this request; respond_to() then makes the response.
struct ForController {
    AskedRoute asked;
    Command command;
};
// May block on the disk: call it where that delays no other request. One that takes long may read
// years of accounting: it must not delay other slow reads either.
struct SlowRead {
    template <class Read>
        requires(std::is_invocable_r_v<ApiResponse, const Read&> && !std::same_as<Read, SlowRead>)
    // NOLINTNEXTLINE(google-explicit-constructor): what reads is returned as it is.
    SlowRead(Read how, bool for_long = false) : read(std::move(how)), takes_long(for_long) {}
    ApiResponse operator()() const { return read(); }

    std::function<ApiResponse()> read;
    bool takes_long = false;
};

class Service {
public:
    Service(ServerIdentity identity, const ReadModel& read_model, Archive& archive,
            std::shared_ptr<Diagnostics> diagnostics = std::make_shared<Diagnostics>(),
            std::shared_ptr<const MetricCounts> counts = std::make_shared<MetricCounts>(),
            std::shared_ptr<Registrar> registrar = nullptr, std::string advertised = {},
            std::shared_ptr<JobSubmit> job_submit = nullptr);

    std::variant<ApiResponse, ForController, SlowRead> serve(const ApiRequest& request) const;
    // Of service_plugins.cc. Whether JobSubmitPlugins must see this before the controller does.
    bool is_for_plugins(const ForController& request) const;
    // Lets them see and change it: a response where they refuse it. May take long, as it runs a
    // script of the site's: call it where that delays no other request.
    std::optional<ApiResponse> ask_plugins(const Principal& who, ForController& request) const;
    ApiResponse respond_to(const AskedRoute& asked, const Principal& who,
                           const Answer& answer) const;
    // A problem in slurmrestd's shape, if the target is one of slurmrestd's; else as it is.
    ApiResponse in_shape(std::string_view target, const Principal& who, ApiResponse response) const;

private:
    // A request whose path is known.
    struct Routed {
        const api::Route& route;
        std::string capture;
        std::string_view query;
        const ApiRequest& request;
        std::shared_ptr<const Snapshot> snapshot;

        // The object that the path names is the principal's own, or there is no such job; the
        // lookup then reports that.
        bool own() const;
        Privacy privacy() const;
    };
    std::variant<ApiResponse, ForController, SlowRead> act(const Routed& routed) const;
    std::variant<ApiResponse, ForController, SlowRead> ask_controller(const Routed& routed,
                                                                      std::string_view body) const;
    std::optional<SlowRead> explain_outcome(const Routed& routed) const;
    std::optional<ApiResponse> refuse_access(const Routed& routed, std::string_view path) const;
    std::optional<ApiResponse> keep_private(const Routed& routed) const;
    static std::variant<ApiResponse, ForController, SlowRead> counted(
        std::variant<ApiResponse, ForController, SlowRead> outcome, api::RouteId route);
    ApiResponse list_jobs(const Routed& routed) const;
    ApiResponse list_priorities(const Routed& routed) const;
    ApiResponse show_job(const Routed& routed) const;
    // Those that the path names, or why there are none.
    static std::variant<JobFilter, ApiResponse> named_jobs(const Routed& routed);
    ApiResponse show_node(const Routed& routed) const;
    api::Ping ping(const Snapshot& snapshot) const;
    using ShowAccounting = std::function<ApiResponse(AccountingAnswer)>;
    std::variant<ApiResponse, ForController, SlowRead> list_accounting(const Routed& routed) const;
    std::variant<ApiResponse, ForController, SlowRead> accounting(const Routed& routed,
                                                                  const api::AccountingQuery& query,
                                                                  ShowAccounting show) const;
    std::variant<ApiResponse, ForController, SlowRead> usage(const Routed& routed) const;
    std::variant<ApiResponse, ForController, SlowRead> node_events(const Routed& routed) const;
    std::variant<ApiResponse, ForController, SlowRead> script(const Routed& routed) const;
    SlowRead metrics(const Routed& routed) const;
    // Of service_rest.cc: slurmrestd's routes.
    std::variant<ApiResponse, ForController, SlowRead> serve_rest(const ApiRequest& request) const;
    std::variant<ApiResponse, ForController, SlowRead> route_rest(
        const ApiRequest& request, const std::shared_ptr<const Snapshot>& snapshot,
        const slurmrest::Meta& meta) const;
    std::variant<ApiResponse, ForController, SlowRead> act_rest(const Routed& routed,
                                                                const RestAsked& asked) const;
    std::variant<ApiResponse, ForController, SlowRead> change_rest(const Routed& routed,
                                                                   const RestAsked& asked) const;
    std::variant<ApiResponse, ForController, SlowRead> rest_accounting(
        const Routed& routed, const RestAsked& asked) const;
    ApiResponse respond_to_rest(const Snapshot& snapshot, const AskedRoute& asked,
                                const Principal& who, const Answer& answer) const;
    // Of service_register.cc: authentication of other hosts.
    ApiResponse create_join_token(const Routed& routed) const;
    ApiResponse revoke_certificates(const Routed& routed) const;
    ApiResponse join(const Routed& routed) const;
    std::variant<ApiResponse, ForController, SlowRead> create_token(const Routed& routed) const;

    ServerIdentity identity_;
    const ReadModel& read_model_;
    Archive& archive_;
    std::shared_ptr<Diagnostics> diagnostics_;
    std::shared_ptr<const MetricCounts> counts_;
    std::shared_ptr<Registrar> registrar_;   // nullptr: other hosts are not accepted.
    std::string advertised_;                 // The address for other hosts.
    std::shared_ptr<JobSubmit> job_submit_;  // nullptr: no plugins.
    std::string openapi_;
};

}  // namespace berth
