// SimHooks: PrologSlurmctld and EpilogSlurmctld in the simulated world. They take some time and
// sometimes fail. Results that the controller has not received before it dies are lost.
#pragma once

#include <map>
#include <set>

#include "berth/sim/controller_process.h"

namespace berth::sim {

class SimHooks : public ControllerHookRunner {
public:
    SimHooks(Stage& stage, ControllerProcess& controller, Rng rng)
        : stage_(stage), controller_(controller), rng_(rng) {}

    void call(HookCall call) override;
    // A part of a job starts on a node.
    void started(const LaunchAttempt& launch, bool has_prolog);

private:
    void finish(const HookCall& call, std::uint64_t life);

    Stage& stage_;
    ControllerProcess& controller_;
    Rng rng_;
    std::uint64_t life_ = 0;
    std::set<JobId> running_;  // In the present life of the controller.
    std::set<std::pair<JobId, Attempt>> prepared_;
};

}  // namespace berth::sim
