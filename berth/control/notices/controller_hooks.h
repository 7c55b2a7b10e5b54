// ControllerHooks: PrologSlurmctld and EpilogSlurmctld, which run on the controller's host.
//
// That a job waits for one is in its record (Job::hook) before it is run, and that it is over is
// recorded before anything follows from it. A new controller runs again what the last one did not
// see the end of: the programs must bear that. Of one job never two run at a time in one
// controller.
#pragma once

#include <map>

#include "berth/control/turn/turn_builder.h"

namespace berth {

class ControllerHooks {
public:
    explicit ControllerHooks(const ClusterState& state);

    void answered(TurnBuilder& builder, const HookAnswered& answer);
    // At the end of a turn: what is due is asked for.
    void note(TurnBuilder& builder, const ClusterState::Touched& touched);

private:
    void look_at(TurnBuilder& builder, JobId id);
    void call(TurnBuilder& builder, const Job& job);

    // Asked for, and not over.
    std::map<JobId, std::pair<Attempt, ControllerHook>> running_;
    std::vector<JobId> due_;  // Found by a new controller, or because another is over.
};

}  // namespace berth
