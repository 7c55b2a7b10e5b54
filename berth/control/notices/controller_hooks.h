// ControllerHooks: PrologSlurmctld and EpilogSlurmctld, which run on the controller's host.
//
// Berth journals a due hook (Job::hook) together with the event that triggers it, and continues
// with the job only after the end of the hook is journaled. A new controller runs every hook again
// whose end is not journaled, so the programs must tolerate that. One controller never runs two
// hooks of the same job at a time.
#pragma once

#include <map>

#include "berth/control/turn/turn_builder.h"

namespace berth {

class ControllerHooks {
public:
    explicit ControllerHooks(const ClusterState& state);

    void answered(TurnBuilder& builder, const HookAnswered& answer);
    // Call at the end of a turn: starts the hooks that are due.
    void note(TurnBuilder& builder, const ClusterState::Touched& touched);

private:
    void look_at(TurnBuilder& builder, JobId id);
    void call(TurnBuilder& builder, const Job& job);

    // Hooks that have been started and have not ended.
    std::map<JobId, std::pair<Attempt, ControllerHook>> running_;
    std::vector<JobId> due_;  // Hooks found by a new controller, or delayed by one of the same job.
};

}  // namespace berth
