// Client: the typed calls that every command makes to berthd. Blocking, one connection, kept alive;
// not for two threads at once. It throws nothing.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/client/call_result.h"
#include "berth/client/endpoint.h"

namespace berth {

struct ClientOptions {
    std::chrono::milliseconds timeout{30'000};  // For each wait for the other side.
    // For how long a call is tried again while nobody listens, or (reads and submissions, which
    // carry a request id) where the connection broke off: a controller that restarts.
    std::chrono::milliseconds retry_for{3'000};
    // So long where the site limits how often one user may ask.
    std::chrono::milliseconds slow_down_for{120'000};
    int stop_fd = -1;  // Readable: every wait ends at once. See Patience.
};

class AccountCalls;
class OwnJobCalls;
class StepCalls;

class Client {
public:
    explicit Client(Endpoint endpoint = find_endpoint(), ClientOptions options = {});
    ~Client();
    Client(Client&&) noexcept;
    Client& operator=(Client&&) noexcept;

    // From here on. For a command that has received a signal and must not wait for long any more.
    void set_options(const ClientOptions& options);
    const ClientOptions& options() const;
    const Endpoint& endpoint() const;

    // ---- Jobs. A `ref` is "12", "12_3" or "12_[1-3,7]".

    // Draws a request id if there is none, so that it may be repeated and still be one job.
    CallResult<api::SubmitReply> submit(api::SubmitRequest request);
    // When and where it would start; nothing is recorded.
    CallResult<api::TestReply> test(const api::SubmitRequest& request);
    CallResult<std::vector<api::JobRow>> jobs(const api::JobQuery& query = {});
    // The same one by one as they come, for lists too long to hold; false ends it.
    CallResult<Done> each_job(const api::JobQuery& query,
                              const std::function<bool(api::JobRow&&)>& each);
    // All that the ref names: an array is its record and its tasks. Never an empty list.
    CallResult<std::vector<api::JobRow>> job(std::string_view ref);
    CallResult<Done> cancel(std::string_view ref, const api::CancelRequest& request = {});
    CallResult<api::ChangeReply> hold(std::string_view ref, const api::HoldRequest& request = {});
    CallResult<api::ChangeReply> release(std::string_view ref);
    CallResult<Done> requeue(std::string_view ref, const api::RequeueRequest& request = {});
    CallResult<api::ChangeReply> update(std::string_view ref, const api::JobPatch& patch);
    CallResult<Done> suspend(std::string_view ref, bool resume = false);
    CallResult<Done> notify(std::string_view ref, const api::NotifyRequest& request);
    CallResult<Done> top(const api::TopRequest& request);
    StepCalls steps();
    OwnJobCalls own_job();
    CallResult<Explanation> explain(std::string_view ref);
    CallResult<std::string> script(std::string_view ref);

    // ---- The cluster.
    CallResult<std::vector<api::NodeRow>> nodes();
    CallResult<api::NodeRow> node(std::string_view name);
    CallResult<Done> update_node(std::string_view name, const api::NodePatch& patch);
    CallResult<std::vector<api::PartitionRow>> partitions();
    CallResult<Done> create_nodes(const api::NodeCall& call);
    CallResult<Done> delete_node(std::string_view name);
    CallResult<Done> create_partition(const api::PartitionCall& call);
    CallResult<Done> update_partition(std::string_view name, const PartitionChange& change);
    CallResult<Done> delete_partition(std::string_view name);
    CallResult<std::vector<api::PriorityRow>> priorities(const api::JobQuery& query = {});
    CallResult<std::vector<api::LicenseRow>> licenses();
    CallResult<std::vector<api::ReservationRow>> reservations();
    CallResult<api::ReservationReply> create_reservation(const api::ReservationCall& call);
    CallResult<Done> update_reservation(std::string_view name, const ReservationChange& change);
    CallResult<Done> delete_reservation(std::string_view name);
    AccountCalls accounts();
    CallResult<Done> reconfigure();
    CallResult<api::ConfigRow> config();
    CallResult<api::Ping> ping();
    CallResult<api::StateHashReply> state_hash();
    CallResult<api::DiagnosticsRow> diagnostics();
    CallResult<Done> reset_diagnostics();

    // ---- Other hosts.
    CallResult<api::JoinTokenReply> create_join_token(const api::JoinTokenCall& call);
    CallResult<Done> revoke_certificates(std::string_view node);
    CallResult<api::JoinReply> join(const api::JoinCall& call);
    CallResult<api::TokenReply> create_token(const api::TokenCall& call);
    // This host's address, as the controller sees it: after a call over TLS; else empty.
    std::string own_address() const;

    // ---- Accounting: as durable, and as new, as the last answer.
    CallResult<std::vector<api::AccountingRow>> accounting(const api::AccountingQuery& query);
    CallResult<Done> each_accounting(const api::AccountingQuery& query,
                                     const std::function<bool(api::AccountingRow&&)>& each);

private:
    friend AccountCalls;
    friend OwnJobCalls;
    friend StepCalls;
    struct Wire;
    std::unique_ptr<Wire> wire_;
};

// What the client or the programs of a running job say of it. REQUIRES: as below.
class OwnJobCalls {
public:
    CallResult<api::AliveReply> keep_alive(std::string_view ref);
    CallResult<Done> complete(std::string_view ref, const api::CompleteRequest& request);
    CallResult<Done> checkpoint(std::string_view ref);  // It has saved one.

private:
    friend Client;
    explicit OwnJobCalls(Client::Wire& wire) : wire_(wire) {}
    Client::Wire& wire_;
};

// Of a job that runs. REQUIRES: the client lives for as long.
class StepCalls {
public:
    CallResult<api::StepReply> create(std::string_view ref, const api::StepCall& call);
    CallResult<Done> update(std::string_view ref, const api::StepPatch& patch);
    CallResult<api::AttachReply> attach(std::string_view ref, const api::AttachCall& call);

private:
    friend Client;
    explicit StepCalls(Client::Wire& wire) : wire_(wire) {}
    Client::Wire& wire_;
};

// Accounts, the users in them, QOS and queues: shares, limits, quotas and usage. REQUIRES: the
// client lives for as long.
class AccountCalls {
public:
    CallResult<std::vector<api::AssociationRow>> associations();
    CallResult<std::vector<api::QosRow>> qos();
    CallResult<std::vector<api::ShareRow>> shares();
    CallResult<std::vector<api::QueueRow>> queues();
    CallResult<api::UsageReport> usage(const api::UsageQuery& query);
    CallResult<std::vector<api::NodeEventRow>> node_events(const api::NodeEventQuery& query);
    CallResult<Done> edit(const AccountingEdits& edits);
    CallResult<Done> set_usage(const api::UsagePatch& patch);

private:
    friend Client;
    explicit AccountCalls(Client::Wire& wire) : wire_(wire) {}
    Client::Wire& wire_;
};

}  // namespace berth
