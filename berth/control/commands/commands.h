// Commands: carries out client requests, one at a time. Each is checked against the authorization
// table first. Changes go into the turn builder as facts; the answer is sent once these facts are
// durable.
#pragma once

#include "berth/control/agents/nodes.h"
#include "berth/control/requests/job_ref.h"
#include "berth/control/requests/refused.h"
#include "berth/control/turn/command.h"
#include "berth/control/turn/turn_builder.h"

namespace berth {

// Carries out any command but HashState and TestJob, which the controller answers later in its
// turn.
Answer carry_out(TurnBuilder& builder, Nodes& nodes, const Principal& principal, Command command,
                 bool has_room);

// ---- One function for each command.
Answer submit(TurnBuilder& builder, const Principal& principal, SubmitJob command, bool has_room);
Answer test_job(TurnBuilder& builder, const Principal& principal, TestJob command, bool has_room);
Answer cancel(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
              const CancelJob& command);
Answer hold(TurnBuilder& builder, const Principal& principal, const HoldJob& command);
Answer requeue(TurnBuilder& builder, const Principal& principal, const RequeueJob& command);
Answer update(TurnBuilder& builder, const Principal& principal, const UpdateJob& command);
Answer update_node(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
                   const UpdateNode& command);
Answer create_step(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
                   CreateStep command);
Answer update_step(TurnBuilder& builder, const Principal& principal, const UpdateStep& command);
Answer attach_step(const TurnBuilder& builder, const Nodes& nodes, const Principal& principal,
                   const AttachStep& command);
Answer complete(TurnBuilder& builder, const Principal& principal, const CompleteJob& command);
Answer suspend(TurnBuilder& builder, const Principal& principal, const SuspendJob& command);
Answer checkpoint(TurnBuilder& builder, const Principal& principal, const CheckpointJob& command);
Answer top(TurnBuilder& builder, const Principal& principal, const TopJobs& command);
Answer notify(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
              const NotifyJob& command);
Answer edit_partition(TurnBuilder& builder, const Principal& principal,
                      const EditPartition& command);
Answer delete_partition(TurnBuilder& builder, const Principal& principal,
                        const DeletePartition& command);
Answer create_nodes(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
                    const CreateNodes& command);
Answer delete_node(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
                   const DeleteNode& command);
Answer set_usage(TurnBuilder& builder, const Principal& principal, SetUsage command);
Answer edit_reservation(TurnBuilder& builder, const Principal& principal,
                        const EditReservation& command);
Answer delete_reservation(TurnBuilder& builder, const Principal& principal,
                          const DeleteReservation& command);
Answer edit_accounting(TurnBuilder& builder, const Principal& principal, EditAccounting command);
Answer reconfigure(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
                   const Reconfigure& command);
Answer explain_job(TurnBuilder& builder, const Principal& principal, const ExplainJob& command);

// A configuration as read from the files, plus what the state keeps from the one in force: ids, and
// edits made since.
ClusterSpec spec_for(const ClusterState& state, ClusterSpec read);
// Whether MaxJobId leaves job ids for new jobs beside the `jobs` that are known.
Status check_ids(const SchedulingSpec& scheduling, std::size_t jobs);

// ---- Shared by the commands.

std::string_view words(JobState state);  // "running"

// Calls `act` for each job that the reference means. Returns Done if any call succeeded, otherwise
// the first refusal. `act` takes a JobTarget and returns nullopt or its refusal. The caller's
// rights to all of them are checked before any is touched.
template <class Act>
Answer for_each_target(const TurnBuilder& builder, const Principal& principal, Verb verb,
                       const JobRef& ref, Act act) {
    auto found = find_targets(builder.state(), ref);
    if (auto* refusing = std::get_if<Refusing>(&found)) return refused(std::move(*refusing));
    const auto& targets = std::get<std::vector<JobTarget>>(found);
    for (const JobTarget& target : targets) {
        const Job& job = *builder.state().find_job(target.job);
        if (auto no = forbidden(builder.state().spec(), principal, verb, job)) return *no;
    }
    std::optional<Refused> first;
    bool any = false;
    for (const JobTarget& target : targets) {
        std::optional<Refused> no = act(target);
        any = any || !no;
        if (no && !first) first = std::move(no);
    }
    if (any || !first) return Done{};
    return *std::move(first);
}

}  // namespace berth
