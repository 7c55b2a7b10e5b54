// Authorization: one table, role × verb × ownership, deny by default. The controller asks it for
// every command, the server for every route; there is no second place that decides.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "berth/model/job.h"
#include "berth/model/principal.h"

namespace berth {

// All that anyone can ask for. A new command or route takes one of these or adds one; a verb that
// the table does not name is refused to everyone.
enum class Verb : std::uint8_t {
    // Reading. Every user sees all jobs, as in Slurm without PrivateData.
    ping,
    view_jobs,
    view_job_script,  // The script and the environment: they hold secrets.
    view_nodes,
    view_partitions,
    view_config,
    view_accounting,
    view_events,
    view_metrics,
    explain_job,
    hash_state,
    // Jobs.
    submit_job,
    cancel_job,
    signal_job,
    hold_job,
    hold_job_as_admin,  // A hold that the job's owner cannot release.
    release_job,
    release_admin_hold,
    requeue_job,
    update_job,
    raise_limits,  // What Slurm lets only operators do: more time, more priority, negative nice.
    create_step,
    complete_job,  // An interactive one, by its client.
    // The cluster.
    update_node,
    update_partition,
    edit_reservation,
    edit_accounting,
    reconfigure,
    shutdown,
    // Shares.
    view_shares,
    set_usage,  // What others have used: brought along, or forgiven.
    // The controller's own figures.
    view_diagnostics,
    reset_diagnostics,
    // Who may come from other hosts.
    create_join_token,
    create_token,  // One's own, or in another's name.
    // More of jobs.
    suspend_job,  // And resume.
    top_job,      // Users only where the site lets them (enable_user_top).
    notify_job,
    attach_step,  // To its output and input: who is attached acts as its user.
    // More of the cluster.
    edit_nodes,  // Those that no file names: made, and taken out.
};

// `own`: the thing asked for belongs to the principal. For what has no owner it plays no part.
bool allowed(Role role, Verb verb, bool own);

bool owns(const Principal& principal, const Job& job);

std::string_view name(Verb verb);  // "cancel_job"
std::string_view name(Role role);  // "op"

// Every verb, in order: for the tests that go through all of them.
std::span<const Verb> all_verbs();

}  // namespace berth
