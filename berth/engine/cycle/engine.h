// Engine: the scheduler without the world around it. Facts go in, decisions come out.
//
// It does no input or output, reads no clock, starts no thread and draws no random number. So the
// daemon, the simulator and the tests run this same code, and a journal replays to the same state.
// One thread owns it.
#pragma once

#include <memory>

#include "berth/engine/cycle/cycle_result.h"
#include "berth/engine/derived/fair_shares.h"
#include "berth/engine/derived/injected_fault.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/policy/policy.h"

namespace berth {

struct DerivedState;  // What is derived from the state: derived_state.h.

class Engine {
public:
    Engine();
    explicit Engine(ClusterState state);
    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;
    ~Engine();

    // The only way that the state changes. The same for events, and for decisions replayed from a
    // journal.
    void apply(Time now, const Fact& fact);

    // What a node's GPUs were just seen doing. No part of the state: decisions made with it are
    // recorded, it is not.
    void note_readings(NodeId node, NodeReadings readings);

    // One cycle: admit → order → place → plan → explain. `budget` bounds the placement attempts.
    Cycle cycle(Time now, std::uint32_t budget);

    const ClusterState& state() const { return state_; }
    ClusterState& mutable_state() {
        return state_;
    }  // For checkpoint, rollback and take_changes only.

    // How often the cycles of one moment look for an earlier start for those that have a promise,
    // beyond whoever could start at once; 0: until nobody could move any more. For simulations.
    void limit_moves(std::uint32_t most);

    // Undoes what was decided since `before`. All that is derived from the state is made again, but
    // fair shares, which rest for a period of priorities: they are set back to these.
    void undo(ClusterState::Mark before, FairShares shares);

    void plant(InjectedFault bug);

    // For explanations, tests and measurements.
    const DerivedState& derived() const { return *derived_; }

private:
    ClusterState state_;
    std::unique_ptr<DerivedState> derived_;
};

}  // namespace berth
