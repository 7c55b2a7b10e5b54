#include "berth/model/reason.h"

#include <array>

#include "berth/base/assert.h"

namespace berth {
namespace {

struct ReasonName {
    PendingReason reason;
    std::string_view name;
};
constexpr std::array kReasons = {
    ReasonName{PendingReason::none, "None"},
    ReasonName{PendingReason::priority, "Priority"},
    ReasonName{PendingReason::dependency, "Dependency"},
    ReasonName{PendingReason::dependency_never_satisfied, "DependencyNeverSatisfied"},
    ReasonName{PendingReason::resources, "Resources"},
    ReasonName{PendingReason::partition_node_limit, "PartitionNodeLimit"},
    ReasonName{PendingReason::partition_time_limit, "PartitionTimeLimit"},
    ReasonName{PendingReason::partition_down, "PartitionDown"},
    ReasonName{PendingReason::partition_inactive, "PartitionInactive"},
    ReasonName{PendingReason::job_held_admin, "JobHeldAdmin"},
    ReasonName{PendingReason::job_held_user, "JobHeldUser"},
    ReasonName{PendingReason::begin_time, "BeginTime"},
    ReasonName{PendingReason::req_node_not_avail, "ReqNodeNotAvail"},
    ReasonName{PendingReason::bad_constraints, "BadConstraints"},
    ReasonName{PendingReason::job_array_task_limit, "JobArrayTaskLimit"},
    ReasonName{PendingReason::launch_failed_requeued_held, "launch failed requeued held"},
    ReasonName{PendingReason::qos_max_wall, "QOSMaxWallDurationPerJobLimit"},
};

struct RefusalText {
    Refusal refusal;
    std::string_view code, slurm;
};
// The texts are Slurm's, as its commands print them: tools look for them.
constexpr std::array kRefusals = {
    RefusalText{Refusal::invalid_request, "invalid_request", ""},
    RefusalText{Refusal::not_allowed, "not_allowed", "Access/permission denied"},
    RefusalText{Refusal::unknown_job, "unknown_job", "Invalid job id specified"},
    RefusalText{Refusal::unknown_step, "unknown_step", "Invalid job id specified"},
    RefusalText{Refusal::unknown_node, "unknown_node", "Invalid node name specified"},
    RefusalText{Refusal::unknown_partition, "unknown_partition",
                "Invalid partition name specified"},
    RefusalText{Refusal::no_default_partition, "no_default_partition",
                "No partition specified or system default partition"},
    RefusalText{Refusal::unknown_account, "unknown_account",
                "Invalid account or account/partition combination specified"},
    RefusalText{Refusal::unknown_qos, "unknown_qos", "Invalid qos specification"},
    RefusalText{Refusal::unknown_gres, "unknown_gres",
                "Invalid generic resource (gres) specification"},
    RefusalText{Refusal::node_configuration_unavailable, "node_configuration_unavailable",
                "Requested node configuration is not available"},
    RefusalText{Refusal::too_many_nodes, "too_many_nodes", "Node count specification invalid"},
    RefusalText{Refusal::memory_unavailable, "memory_unavailable",
                "Requested node configuration is not available"},
    RefusalText{Refusal::cpus_unavailable, "cpus_unavailable",
                "Requested node configuration is not available"},
    RefusalText{Refusal::time_limit_too_long, "time_limit_too_long",
                "Requested time limit is invalid (missing or exceeds some limit)"},
    RefusalText{Refusal::partition_unavailable, "partition_unavailable",
                "Required partition not available (inactive or drain)"},
    RefusalText{Refusal::invalid_dependency, "invalid_dependency", "Job dependency problem"},
    RefusalText{Refusal::circular_dependency, "circular_dependency", "Circular job dependency"},
    RefusalText{Refusal::invalid_array, "invalid_array", "Invalid job array specification"},
    RefusalText{Refusal::invalid_time, "invalid_time", "Requested start time is invalid"},
    RefusalText{Refusal::invalid_feature, "invalid_feature", "Invalid feature specification"},
    RefusalText{Refusal::invalid_node_list, "invalid_node_list", "Invalid node name specified"},
    RefusalText{Refusal::job_finished, "job_finished", "Job/step already completing or completed"},
    RefusalText{Refusal::job_not_pending, "job_not_pending", "Job is no longer pending execution"},
    RefusalText{Refusal::job_not_running, "job_not_running", "Job is not running"},
    RefusalText{Refusal::job_not_requeueable, "job_not_requeueable",
                "Requested operation is presently disabled"},
    RefusalText{Refusal::job_limit_reached, "job_limit_reached",
                "Slurm temporarily unable to accept job, sleeping and retrying"},
    RefusalText{Refusal::script_too_large, "script_too_large", "Job script is too large"},
    RefusalText{Refusal::step_more_than_job, "step_more_than_job",
                "More processors requested than permitted"},
    RefusalText{Refusal::step_resources_busy, "step_resources_busy", "Requested nodes are busy"},
    RefusalText{Refusal::step_gres_not_in_job, "step_gres_not_in_job",
                "Step requested GRES but job doesn't have GRES"},
    RefusalText{Refusal::not_supported, "not_supported",
                "Requested operation not supported on this system"},
    RefusalText{Refusal::read_only, "read_only",
                "Unable to save job state: no space left on the controller"},
    RefusalText{Refusal::already_disabled, "already_disabled",
                "Requested operation is presently disabled"},
};

const RefusalText& text_of(Refusal refusal) {
    const auto index = static_cast<std::size_t>(refusal);
    BERTH_ASSERT(index < kRefusals.size() && kRefusals[index].refusal == refusal);
    return kRefusals[index];
}

}  // namespace

std::string_view slurm_name(PendingReason reason) {
    const auto index = static_cast<std::size_t>(reason);
    BERTH_ASSERT(index < kReasons.size() && kReasons[index].reason == reason);
    return kReasons[index].name;
}

std::size_t pending_reasons() { return kReasons.size(); }

std::size_t refusals() { return kRefusals.size(); }

std::string_view code(Refusal refusal) { return text_of(refusal).code; }

std::string_view slurm_text(Refusal refusal) { return text_of(refusal).slurm; }

}  // namespace berth
