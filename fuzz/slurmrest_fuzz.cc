// slurmrestd's routes with any target and any body, as an ordinary user's and as an
// administrator's: the answer is JSON in slurmrestd's shape, or there is a command for the
// controller. What a submission comes to is a message of /v1.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "berth/api/json.h"
#include "berth/server/http/server_rig.h"
#include "berth/slurmrest/job_fields.h"
#include "berth/slurmrest/rest_routes.h"

namespace berth {
namespace {

struct Served {
    Served() { (void)cluster.publish(read_model); }
    SampleCluster cluster = [] {
        SampleCluster made;
        made.submit(SampleCluster::job(1));
        made.submit(SampleCluster::job(2, 1001));
        made.start(2, 0);
        return made;
    }();
    ReadModel read_model;
    PlayedArchive archive;
    Service service{{"0.1.0", "here", from_seconds(1), 42}, read_model, archive};
};

// "/slurm/job/{job_id}" with its version, and what was given in place of what it names.
std::string target_of(const slurmrest::RestRoute& route, std::string_view given) {
    std::string path(route.path);
    const std::size_t open = path.find('{');
    if (open != std::string::npos) path.replace(open, path.find('}') + 1 - open, given);
    path.insert(path.find('/', 1), "/v0.0.44");
    return path;
}

void check_answer(ApiResponse response) {
    std::string part;
    while (response.parts != nullptr && response.parts->next(part)) response.body += part;
    const auto body = api::parse_json(response.body);
    BERTH_ASSERT(body.ok() && response.content_type == "application/json");
    BERTH_ASSERT(body->find("meta") != nullptr && body->find("errors") != nullptr);
    const auto* const errors = body->find("errors")->as<api::JsonArray>();
    BERTH_ASSERT(errors != nullptr && errors->empty() == (response.status < 300));
}

}  // namespace

// A route, a role, then lines: what the path names, the query, and the rest is the body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const Served& served = *new Served;
    if (size < 2) return 0;
    const auto routes = slurmrest::rest_routes();
    const slurmrest::RestRoute& route = routes[bytes[0] % routes.size()];
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    std::string_view text(reinterpret_cast<const char*>(bytes) + 2, size - 2);
    const auto line = [&text] {
        const std::string_view one = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        return one;
    };
    constexpr std::array kRoles = {Role::user, Role::op, Role::admin};
    ApiRequest request{.method = std::string(route.method),
                       .principal = {.uid = 1000, .gid = 1000, .user = "user1000"}};
    request.principal.role = kRoles[bytes[1] % kRoles.size()];
    request.target = target_of(route, line());
    if (const std::string_view query = line(); !query.empty())
        request.target += '?' + std::string(query);
    request.body = text;
    auto outcome = served.service.serve(request);
    if (auto* const slow = std::get_if<SlowRead>(&outcome)) outcome = (*slow)();
    if (auto* const response = std::get_if<ApiResponse>(&outcome))
        check_answer(std::move(*response));
    if (const auto submission = slurmrest::read_submission(text); submission.ok()) {
        const auto again = api::from_json<api::SubmitRequest>(api::to_json(*submission));
        BERTH_ASSERT(again.ok() && again->spec == submission->spec);
    }
    (void)slurmrest::read_update(text);
    return 0;
}

}  // namespace berth
