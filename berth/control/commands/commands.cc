#include "berth/control/commands/commands.h"

#include "berth/base/overloaded.h"
#include "berth/control/commands/admit_submission.h"
#include "berth/engine/explain/explain.h"

namespace berth {
namespace {

Refused taken_request_id() {
    return refused(Refusal::invalid_request,
                   "This request id is taken: make a new one of 128 random bits");
}

Answer not_here() {
    BERTH_ASSERT(false);
    return Done{};
}

}  // namespace

Answer carry_out(TurnBuilder& builder, Nodes& nodes, const Principal& principal, Command command,
                 bool has_room) {
    return std::visit(
        Overloaded{
            [&](SubmitJob& one) { return submit(builder, principal, std::move(one), has_room); },
            [&](CancelJob& one) { return cancel(builder, nodes, principal, one); },
            [&](HoldJob& one) { return hold(builder, principal, one); },
            [&](RequeueJob& one) { return requeue(builder, principal, one); },
            [&](UpdateJob& one) { return update(builder, principal, one); },
            [&](UpdateNode& one) { return update_node(builder, nodes, principal, one); },
            [&](CreateStep& one) { return create_step(builder, nodes, principal, std::move(one)); },
            [&](UpdateStep& one) { return update_step(builder, principal, one); },
            [&](AttachStep& one) { return attach_step(builder, nodes, principal, one); },
            [&](CompleteJob& one) { return complete(builder, principal, one); },
            [&](ExplainJob& one) { return explain_job(builder, principal, one); },
            [&](SetUsage& one) { return set_usage(builder, principal, std::move(one)); },
            [&](EditReservation& one) { return edit_reservation(builder, principal, one); },
            [&](DeleteReservation& one) { return delete_reservation(builder, principal, one); },
            [&](Reconfigure& one) { return reconfigure(builder, nodes, principal, one); },
            [&](EditAccounting& one) {
                return edit_accounting(builder, principal, std::move(one));
            },
            [&](SuspendJob& one) { return suspend(builder, principal, one); },
            [&](CheckpointJob& one) { return checkpoint(builder, principal, one); },
            [&](TopJobs& one) { return top(builder, principal, one); },
            [&](NotifyJob& one) { return notify(builder, nodes, principal, one); },
            [&](EditPartition& one) { return edit_partition(builder, principal, one); },
            [&](DeletePartition& one) { return delete_partition(builder, principal, one); },
            [&](CreateNodes& one) { return create_nodes(builder, nodes, principal, one); },
            [&](DeleteNode& one) { return delete_node(builder, nodes, principal, one); },
            // The controller's own.
            [&](HashState&) { return not_here(); },
            [&](KeepAlive&) { return not_here(); },
            [&](TestJob&) { return not_here(); },
        },
        command);
}

// A repeated submission gets the same answer, even if it would now be refused.
Answer submit(TurnBuilder& builder, const Principal& principal, SubmitJob command, bool has_room) {
    if (auto no = forbidden(principal, Verb::submit_job)) return *no;
    const std::string& request_id = command.spec.request_id;
    if (!request_id.empty()) {
        if (const std::optional<JobId> known = builder.state().index().find_request(request_id)) {
            if (owns(principal, *builder.state().find_job(*known))) return Submitted{*known, {}};
            return taken_request_id();
        }
        if (const PastRequest* const past = builder.state().past_requests().find(request_id)) {
            if (past->uid == principal.uid) return Submitted{past->job, {}};
            return taken_request_id();
        }
    }
    auto admitted = admit_submission(builder, principal, command, has_room);
    if (const auto* no = std::get_if<Refused>(&admitted)) return *no;
    auto& jobs = std::get<std::vector<Job>>(admitted);
    const JobId first = jobs.front().id;
    builder.keep(first, std::move(command.payload));
    for (Job& job : jobs) builder.record(JobSubmitted{std::move(job)});
    return Submitted{first, {}};
}

Answer explain_job(TurnBuilder& builder, const Principal& principal, const ExplainJob& command) {
    auto found = find_single(builder.state(), command.job);
    if (auto* refusing = std::get_if<Refusing>(&found)) return refused(std::move(*refusing));
    const Job& job = *builder.state().find_job(std::get<JobTarget>(found).job);
    const ClusterSpec& spec = builder.state().spec();
    if (auto no = forbidden(spec, principal, Verb::explain_job, job)) return *no;
    if (job.state != JobState::pending) {
        return refused(Refusal::job_not_pending,
                       "Job " + to_text(command.job) + " does not wait: it is " +
                           std::string(words(job.state)),
                       job.id);
    }
    // The first component is planned for all of them.
    return explain(builder.trial_engine(), builder.now(), job.het ? job.het->first : job.id);
}

std::string_view words(JobState state) {
    switch (state) {
        case JobState::pending: return "pending";
        case JobState::running: return "running";
        case JobState::completing: return "completing";
        case JobState::completed: return "completed";
        case JobState::failed: return "failed";
        case JobState::cancelled: return "cancelled";
        case JobState::timeout: return "over its time limit";
        case JobState::node_fail: return "ended by the failure of a node";
        case JobState::preempted: return "preempted";
        case JobState::out_of_memory: return "ended out of memory";
        case JobState::boot_fail: return "ended by a node that did not boot";
        case JobState::deadline: return "past its deadline";
    }
    return "unknown";
}

}  // namespace berth
