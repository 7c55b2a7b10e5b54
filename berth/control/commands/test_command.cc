// --test-only: the checks of a submission, and the start that it would get.
#include "berth/control/commands/admit_submission.h"
#include "berth/control/commands/commands.h"
#include "berth/engine/explain/will_run.h"

namespace berth {
namespace {

// As Slurm refuses such a job.
Refusal refusal_of(PendingReason reason) {
    switch (reason) {
        case PendingReason::deadline: return Refusal::deadline_too_soon;
        case PendingReason::dependency_never_satisfied: return Refusal::invalid_dependency;
        case PendingReason::partition_time_limit: return Refusal::time_limit_too_long;
        case PendingReason::max_mem_per_limit: return Refusal::memory_over_limit;
        case PendingReason::qos_max_wall: return Refusal::over_limit;
        case PendingReason::partition_node_limit:
        case PendingReason::bad_constraints:
        case PendingReason::req_node_not_avail: return Refusal::node_configuration_unavailable;
        default: return Refusal::nodes_busy;
    }
}

std::string message_of(PendingReason reason) {
    if (reason == PendingReason::resources) {
        return "No start is known within the plan (bf_window): what it asks for is held by jobs "
               "without a known end, or depends on which jobs run";
    }
    return "It would be accepted and wait with the reason " + std::string(slurm_name(reason)) +
           " until its request or the cluster changes";
}

}  // namespace

Answer test_job(TurnBuilder& builder, const Principal& principal, TestJob command, bool has_room) {
    if (auto no = forbidden(principal, Verb::submit_job)) return *no;
    command.submission.spec.request_id.clear();  // It names no job.
    auto admitted = admit_submission(builder, principal, command.submission, has_room);
    if (const auto* no = std::get_if<Refused>(&admitted)) return *no;
    StartEstimate estimate = will_run(builder.trial_engine(), builder.now(),
                                      std::get<std::vector<Job>>(std::move(admitted)));
    if (estimate.start) return estimate;
    return refused(refusal_of(estimate.reason), message_of(estimate.reason));
}

}  // namespace berth
