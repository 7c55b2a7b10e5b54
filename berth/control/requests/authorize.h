// Authorization: one table, role × verb × ownership, deny by default. The controller checks it for
// every command, the server for every route. No other code decides on permissions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "berth/model/accounting_edits.h"
#include "berth/model/job.h"
#include "berth/model/principal.h"

namespace berth {

// Everything that a principal can ask for. A new command or route uses one of these or adds one. A
// verb that is missing from the table is refused to everyone.
enum class Verb : std::uint8_t {
    // Reading. Every user sees all jobs, as in Slurm without PrivateData.
    ping,
    view_jobs,
    view_job_script,  // Script and environment, which may hold secrets.
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
    hold_job_as_admin,  // A hold that the owner of the job cannot release.
    release_job,
    release_admin_hold,
    requeue_job,
    update_job,
    // Changes that Slurm leaves to operators: longer time limit, higher priority, negative nice.
    raise_limits,
    create_step,
    complete_job,  // Of an interactive job, by its client.
    // Cluster.
    update_node,
    update_partition,
    edit_reservation,
    edit_accounting,  // One's own: what is beneath an account that one coordinates.
    reconfigure,
    shutdown,
    // Shares.
    view_shares,
    set_usage,  // Set or reset the recorded usage of others.
    // The controller's own metrics.
    view_diagnostics,
    reset_diagnostics,
    // Tokens, for access from other hosts.
    create_join_token,
    create_token,  // For oneself, or in another user's name.
    // More on jobs.
    suspend_job,  // Also resume.
    top_job,      // For users only if the site sets enable_user_top.
    notify_job,
    // Read the step's output and write its input. An attached client acts as the job's user.
    attach_step,
    // More on the cluster.
    edit_nodes,  // Create and delete dynamic nodes.
    // Still more on jobs.
    checkpoint_job,  // Say that it has saved a checkpoint.
};

// `own`: the object belongs to the principal. Ignored for objects that have no owner.
bool allowed(Role role, Verb verb, bool own);

bool owns(const Principal& principal, const Job& job);

// Whether the principal may use the verb on the job as its owner may: as the owner, or as a
// coordinator of its account, whom Slurm lets cancel, signal, hold, release, requeue and change it.
bool acts_as_owner(const ClusterSpec& spec, const Principal& principal, Verb verb, const Job& job);

// Whether all that the edits change is beneath accounts that the principal coordinates: users in
// them, and accounts below them.
bool coordinates_all(const ClusterSpec& spec, const Principal& principal,
                     const AccountingEdits& edits);

std::string_view name(Verb verb);  // "cancel_job"
std::string_view name(Role role);  // "op"

// Every verb, in order. For tests that go through all of them.
std::span<const Verb> all_verbs();

}  // namespace berth
