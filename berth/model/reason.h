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
};

std::string_view slurm_name(PendingReason reason);  // "Resources", "JobHeldUser" …
std::size_t pending_reasons();                      // How many there are: values below that.

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
};

std::string_view code(Refusal refusal);        // "unknown_partition"
std::string_view slurm_text(Refusal refusal);  // "Invalid partition name specified"
std::size_t refusals();                        // How many there are.

}  // namespace berth
