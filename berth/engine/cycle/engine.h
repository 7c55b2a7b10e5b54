// Engine: the scheduler without the world around it. Facts go in, decisions come out.
//
// Engine does no input or output, reads no clock, starts no thread and draws no random number. So
// the daemon, the simulator and the tests run the same code, and a journal replays to the same
// state. It is owned by one thread.
#pragma once

#include <memory>

#include "berth/engine/cycle/cycle_result.h"
#include "berth/engine/derived/fair_shares.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/policy/policy.h"

namespace berth {

struct DerivedState;  // See derived_state.h.
class Trial;          // See trial.h.

class Engine {
public:
    Engine();
    explicit Engine(ClusterState state);
    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;
    ~Engine();

    // The only way to change the state, both for events and for decisions replayed from a journal.
    void apply(Time now, const Fact& fact);

    // Latest measurements of a node's GPUs. They are not part of the state: only decisions made
    // with them are recorded.
    void note_readings(NodeId node, NodeReadings readings);

    // One cycle: admit → order → place → plan → explain. `budget` bounds the placement attempts.
    Cycle cycle(Time now, std::uint32_t budget);

    const ClusterState& state() const { return state_; }
    // For checkpoint, rollback and take_changes only.
    ClusterState& mutable_state() { return state_; }

    // Limits how many searches for an earlier start the cycles of one moment make for jobs that
    // have a planned start, beyond those that could start at once; 0: no limit. For simulations.
    void limit_moves(std::uint32_t most);

    // Undoes everything since `before`. Rebuilds the derived state, except for fair shares, which
    // are fixed for a priority period: they are set to `shares`.
    void undo(ClusterState::Mark before, FairShares shares);

    // Tries things on the state and the plan; see Trial. Nothing else may change meanwhile.
    Trial trial();

    // What runs a cycle in place of CycleRun. For simulations, whose planners may have a fault.
    using RunCycle = Cycle (*)(ClusterState& state, DerivedState& derived, Time now,
                               std::uint32_t budget);
    void run_cycles_by(RunCycle run) { run_cycle_ = run; }

    // For explanations, tests and measurements.
    const DerivedState& derived() const { return current(); }

private:
    DerivedState& current() const;

    ClusterState state_;
    std::unique_ptr<DerivedState> derived_;
    // The configuration has changed: all is derived anew once it is asked for, so a thousand nodes
    // that join cost one rebuild.
    mutable bool outdated_ = false;
    RunCycle run_cycle_;
};

}  // namespace berth
