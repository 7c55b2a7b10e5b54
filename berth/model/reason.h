// Why a job is pending, and why a request was refused: the words that users know, in one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace berth {

// The first thing that keeps a job from starting. Names are Slurm's (squeue's NODELIST(REASON)).
enum class PendingReason : std::uint8_t {
    none,
    priority,
    dependency,
    dependency_never_satisfied,
    resources,
    partition_node_limit,
    partition_time_limit,
    partition_down,
    partition_inactive,
    job_held_admin,
    job_held_user,
    begin_time,
    req_node_not_avail,  // "ReqNodeNotAvail, UnavailableNodes:gpu[1-2]"
    bad_constraints,
    job_array_task_limit,
    launch_failed_requeued_held,
    qos_max_wall,  // QOSMaxWallDurationPerJobLimit
    licenses,
    deadline,
    reservation,
    reservation_deleted,
    cleaning,  // What is to follow its last run is not over: the site's EpilogSlurmctld.
    qos_grp_jobs,
    qos_grp_submit,
    qos_max_jobs_user,
    qos_max_submit_user,
    qos_max_jobs_account,
    qos_max_submit_account,
    assoc_grp_jobs,
    assoc_grp_submit,
    assoc_max_jobs,
    assoc_max_submit,
    assoc_max_wall,
    // Limits on one TRES: of each of these as many as there are kinds (TresKind), in that order.
    // See reason_for().
    qos_grp,
    qos_grp_last = qos_grp + 5,
    qos_grp_run_minutes,
    qos_grp_run_minutes_last = qos_grp_run_minutes + 5,
    qos_max_job,
    qos_max_job_last = qos_max_job + 5,
    qos_max_node,
    qos_max_node_last = qos_max_node + 5,
    qos_max_user,
    qos_max_user_last = qos_max_user + 5,
    qos_max_account,
    qos_max_account_last = qos_max_account + 5,
    qos_max_minutes,
    qos_max_minutes_last = qos_max_minutes + 5,
    qos_min,
    qos_min_last = qos_min + 5,
    assoc_grp,
    assoc_grp_last = assoc_grp + 5,
    assoc_grp_run_minutes,
    assoc_grp_run_minutes_last = assoc_grp_run_minutes + 5,
    assoc_max_job,
    assoc_max_job_last = assoc_max_job + 5,
    assoc_max_node,
    assoc_max_node_last = assoc_max_node + 5,
    assoc_max_minutes,
    assoc_max_minutes_last = assoc_max_minutes + 5,
    max_mem_per_limit,  // MaxMemPerNode of the partition or the cluster.
    assoc_grp_minutes,  // Another such block: GrpTRESMins.
    assoc_grp_minutes_last = assoc_grp_minutes + 5,
    assoc_grp_wall,
};

std::string_view slurm_name(PendingReason reason);  // "Resources", "JobHeldUser" …
std::size_t pending_reasons();                      // How many there are: values below that.

// The reason of a block for this TRES: QOSGrpCpuLimit, QOSGrpMemLimit …
PendingReason reason_for(PendingReason block, std::string_view tres);

// Why a command was refused. `code` is stable and stands in the API's problem documents; `slurm` is
// the text that Slurm's commands print for it, empty where Slurm has none.
enum class Refusal : std::uint8_t {
    invalid_request,
    not_allowed,
    unknown_job,
    unknown_step,
    unknown_node,
    unknown_partition,
    no_default_partition,
    unknown_account,
    unknown_qos,
    unknown_gres,
    node_configuration_unavailable,
    too_many_nodes,
    memory_unavailable,
    cpus_unavailable,
    time_limit_too_long,
    partition_unavailable,
    invalid_dependency,
    circular_dependency,
    invalid_array,
    invalid_time,
    invalid_feature,
    invalid_node_list,
    job_finished,
    job_not_pending,
    job_not_running,
    job_not_requeueable,
    job_limit_reached,
    script_too_large,
    step_more_than_job,   // Can never fit in the job.
    step_resources_busy,  // Does not fit beside the job's other steps now: try again.
    step_gres_not_in_job,
    not_supported,
    read_only,  // The store is full: new work is refused.
    already_disabled,
    invalid_license,
    invalid_time_min,
    deadline_too_soon,
    unknown_reservation,
    reservation_access,
    reservation_not_usable,
    reservation_in_use,
    reservation_overlap,
    reservation_name_taken,
    nodes_busy,
    unknown_user,
    over_limit,        // Of an association or a QOS.
    nothing_new,       // sacctmgr add: it is there already.
    nothing_modified,  // sacctmgr modify, delete: no such thing.
    in_use,            // sacctmgr delete: something else needs it.
    job_suspended,
    job_not_suspended,
    job_pending,
    job_held,
    partition_in_use,
    partition_name_taken,
    node_name_taken,
    memory_over_limit,  // Above MaxMemPerNode.
    refused_by_site,    // By job_submit.lua, or another of JobSubmitPlugins.
    too_many_steps,     // More than MaxStepCount of a job.
    too_many_tasks,     // Of a step on a node: more than MaxTasksPerNode.
};

std::string_view code(Refusal refusal);        // "unknown_partition"
std::string_view slurm_text(Refusal refusal);  // "Invalid partition name specified"
std::size_t refusals();                        // How many there are.

}  // namespace berth
