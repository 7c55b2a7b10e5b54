#include "berth/model/reason.h"

#include <array>

#include "berth/base/assert.h"
#include "berth/model/limits.h"

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
    ReasonName{PendingReason::licenses, "Licenses"},
    ReasonName{PendingReason::deadline, "DeadLine"},
    ReasonName{PendingReason::reservation, "Reservation"},
    ReasonName{PendingReason::reservation_deleted, "ReservationDeleted"},
    ReasonName{PendingReason::cleaning, "Cleaning"},
    ReasonName{PendingReason::qos_grp_jobs, "QOSGrpJobsLimit"},
    ReasonName{PendingReason::qos_grp_submit, "QOSGrpSubmitJobsLimit"},
    ReasonName{PendingReason::qos_max_jobs_user, "QOSMaxJobsPerUserLimit"},
    ReasonName{PendingReason::qos_max_submit_user, "QOSMaxSubmitJobPerUserLimit"},
    ReasonName{PendingReason::qos_max_jobs_account, "MaxJobsPerAccount"},
    ReasonName{PendingReason::qos_max_submit_account, "MaxSubmitJobsPerAccount"},
    ReasonName{PendingReason::assoc_grp_jobs, "AssocGrpJobsLimit"},
    ReasonName{PendingReason::assoc_grp_submit, "AssocGrpSubmitJobsLimit"},
    ReasonName{PendingReason::assoc_max_jobs, "AssocMaxJobsLimit"},
    ReasonName{PendingReason::assoc_max_submit, "AssocMaxSubmitJobLimit"},
    ReasonName{PendingReason::assoc_max_wall, "AssocMaxWallDurationPerJobLimit"},
};

// Those that came after the blocks.
constexpr PendingReason of_minutes(TresKind kind) {
    return static_cast<PendingReason>(static_cast<std::size_t>(PendingReason::assoc_grp_minutes) +
                                      static_cast<std::size_t>(kind));
}
constexpr std::array kLastReasons = {
    ReasonName{PendingReason::max_mem_per_limit, "MaxMemPerLimit"},
    ReasonName{of_minutes(TresKind::cpu), "AssocGrpCPUMinutesLimit"},
    ReasonName{of_minutes(TresKind::mem), "AssocGrpMemMinutes"},
    ReasonName{of_minutes(TresKind::node), "AssocGrpNodeMinutes"},
    ReasonName{of_minutes(TresKind::gres), "AssocGrpGRESMinutes"},
    ReasonName{of_minutes(TresKind::license), "AssocGrpLicenseMinutes"},
    ReasonName{of_minutes(TresKind::billing), "AssocGrpBillingMinutes"},
    ReasonName{PendingReason::assoc_grp_wall, "AssocGrpWallLimit"},
};

// The blocks of reasons about one TRES, a name for each TresKind.
struct TresBlock {
    PendingReason first;
    std::array<std::string_view, kTresKinds> names;
};
constexpr std::array kTresBlocks = {
    TresBlock{PendingReason::qos_grp,
              {"QOSGrpCpuLimit", "QOSGrpMemLimit", "QOSGrpNodeLimit", "QOSGrpGRES", "QOSGrpLicense",
               "QOSGrpBilling"}},
    TresBlock{PendingReason::qos_grp_run_minutes,
              {"QOSGrpCPURunMinutesLimit", "QOSGrpMemoryRunMinutes", "QOSGrpNodeRunMinutes",
               "QOSGrpGRESRunMinutes", "QOSGrpLicenseRunMinutes", "QOSGrpBillingRunMinutes"}},
    TresBlock{PendingReason::qos_max_job,
              {"QOSMaxCpuPerJobLimit", "QOSMaxMemoryPerJob", "QOSMaxNodePerJobLimit",
               "QOSMaxGRESPerJob", "QOSMaxLicensePerJob", "QOSMaxBillingPerJob"}},
    TresBlock{PendingReason::qos_max_node,
              {"QOSMaxCpuPerNode", "QOSMaxMemoryPerNode", "QOSMaxUnknownPerNode",
               "QOSMaxGRESPerNode", "QOSMaxLicensePerNode", "QOSMaxBillingPerNode"}},
    TresBlock{PendingReason::qos_max_user,
              {"QOSMaxCpuPerUserLimit", "QOSMaxMemoryPerUser", "QOSMaxNodePerUserLimit",
               "QOSMaxGRESPerUser", "QOSMaxLicensePerUser", "QOSMaxBillingPerUser"}},
    TresBlock{PendingReason::qos_max_account,
              {"MaxCpuPerAccount", "MaxMemoryPerAccount", "MaxNodePerAccount", "MaxGRESPerAccount",
               "MaxLicensePerAccount", "MaxBillingPerAccount"}},
    TresBlock{
        PendingReason::qos_max_minutes,
        {"QOSMaxCpuMinutesPerJobLimit", "QOSMaxMemoryMinutesPerJob", "QOSMaxNodeMinutesPerJob",
         "QOSMaxGRESMinutesPerJob", "QOSMaxLicenseMinutesPerJob", "QOSMaxBillingMinutesPerJob"}},
    TresBlock{PendingReason::qos_min,
              {"QOSMinCpuNotSatisfied", "QOSMinMemory", "QOSMinNode", "QOSMinGRES", "QOSMinLicense",
               "QOSMinBilling"}},
    TresBlock{PendingReason::assoc_grp,
              {"AssocGrpCpuLimit", "AssocGrpMemLimit", "AssocGrpNodeLimit", "AssocGrpGRES",
               "AssocGrpLicense", "AssocGrpBilling"}},
    TresBlock{PendingReason::assoc_grp_run_minutes,
              {"AssocGrpCPURunMinutesLimit", "AssocGrpMemRunMinutes", "AssocGrpNodeRunMinutes",
               "AssocGrpGRESRunMinutes", "AssocGrpLicenseRunMinutes", "AssocGrpBillingRunMinutes"}},
    TresBlock{PendingReason::assoc_max_job,
              {"AssocMaxCpuPerJobLimit", "AssocMaxMemPerJob", "AssocMaxNodePerJobLimit",
               "AssocMaxGRESPerJob", "AssocMaxLicensePerJob", "AssocMaxBillingPerJob"}},
    TresBlock{PendingReason::assoc_max_node,
              {"AssocMaxCpuPerNode", "AssocMaxMemPerNode", "AssocMaxUnknownPerNode",
               "AssocMaxGRESPerNode", "AssocMaxLicensePerNode", "AssocMaxBillingPerNode"}},
    TresBlock{PendingReason::assoc_max_minutes,
              {"AssocMaxCpuMinutesPerJobLimit", "AssocMaxMemMinutesPerJob",
               "AssocMaxNodeMinutesPerJob", "AssocMaxGRESMinutesPerJob",
               "AssocMaxLicenseMinutesPerJob", "AssocMaxBillingMinutesPerJob"}},
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
    RefusalText{Refusal::invalid_license, "invalid_license", "Invalid license specification"},
    RefusalText{Refusal::invalid_time_min, "invalid_time_min",
                "Invalid time-min specification (exceeds job's time or other limits)"},
    RefusalText{Refusal::deadline_too_soon, "deadline_too_soon",
                "Requested time limit is invalid (missing or exceeds some limit)"},
    RefusalText{Refusal::unknown_reservation, "unknown_reservation",
                "Requested reservation is invalid"},
    RefusalText{Refusal::reservation_access, "reservation_access",
                "Access denied to requested reservation"},
    RefusalText{Refusal::reservation_not_usable, "reservation_not_usable",
                "Requested reservation not usable now"},
    RefusalText{Refusal::reservation_in_use, "reservation_in_use",
                "Requested reservation is in use"},
    RefusalText{Refusal::reservation_overlap, "reservation_overlap",
                "Requested reservation overlaps with another reservation"},
    RefusalText{Refusal::reservation_name_taken, "reservation_name_taken",
                "Duplicate reservation name"},
    RefusalText{Refusal::nodes_busy, "nodes_busy", "Requested nodes are busy"},
    RefusalText{Refusal::unknown_user, "unknown_user", "Invalid user id"},
    RefusalText{Refusal::over_limit, "over_limit",
                "Job violates accounting/QOS policy (job submit limit, user's size and/or time "
                "limits)"},
    RefusalText{Refusal::nothing_new, "nothing_new", " Nothing new added."},
    RefusalText{Refusal::nothing_modified, "nothing_modified", " Nothing modified"},
    RefusalText{Refusal::in_use, "in_use", "Job(s) active, cancel job(s) before remove"},
    RefusalText{Refusal::job_suspended, "job_suspended",
                "Job is current suspended, requested operation disabled"},
    RefusalText{Refusal::job_not_suspended, "job_not_suspended", "Job is not suspended"},
    RefusalText{Refusal::job_pending, "job_pending", "Job is pending execution"},
    RefusalText{Refusal::job_held, "job_held", "Job is in held state, pending scheduler release"},
    RefusalText{Refusal::partition_in_use, "partition_in_use", "Partition is in use"},
    RefusalText{Refusal::partition_name_taken, "partition_name_taken",
                "Invalid partition name specified"},
    RefusalText{Refusal::node_name_taken, "node_name_taken", "Invalid node name specified"},
    RefusalText{Refusal::memory_over_limit, "memory_over_limit",
                "Memory required by task is not available"},
    RefusalText{Refusal::refused_by_site, "refused_by_site", "Unspecified error"},
    RefusalText{Refusal::too_many_steps, "too_many_steps", "Step limit reached for this job"},
    RefusalText{Refusal::too_many_tasks, "too_many_tasks", "Task count specification invalid"},
};

const RefusalText& text_of(Refusal refusal) {
    const auto index = static_cast<std::size_t>(refusal);
    BERTH_ASSERT(index < kRefusals.size() && kRefusals[index].refusal == refusal);
    return kRefusals[index];
}

}  // namespace

std::string_view slurm_name(PendingReason reason) {
    const auto index = static_cast<std::size_t>(reason);
    if (index >= kReasons.size()) {
        const std::size_t place = index - kReasons.size();
        if (place >= kTresBlocks.size() * kTresKinds) {
            const std::size_t last = place - kTresBlocks.size() * kTresKinds;
            BERTH_ASSERT(last < kLastReasons.size() && kLastReasons[last].reason == reason);
            return kLastReasons[last].name;
        }
        const TresBlock& block = kTresBlocks[place / kTresKinds];
        BERTH_ASSERT(static_cast<std::size_t>(block.first) == index - place % kTresKinds);
        return block.names[place % kTresKinds];
    }
    BERTH_ASSERT(index < kReasons.size() && kReasons[index].reason == reason);
    return kReasons[index].name;
}

std::size_t pending_reasons() {
    return kReasons.size() + kTresBlocks.size() * kTresKinds + kLastReasons.size();
}

PendingReason reason_for(PendingReason block, std::string_view tres) {
    return static_cast<PendingReason>(static_cast<std::size_t>(block) +
                                      static_cast<std::size_t>(kind_of_tres(tres)));
}

std::size_t refusals() { return kRefusals.size(); }

std::string_view code(Refusal refusal) { return text_of(refusal).code; }

std::string_view slurm_text(Refusal refusal) { return text_of(refusal).slurm; }

}  // namespace berth
