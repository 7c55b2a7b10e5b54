// OpenCycle: a cycle under way: the state that it reads, how much it may still try, and what it has
// decided so far. All parts of a cycle work on it.
#pragma once

#include "berth/engine/cycle/cycle_result.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/engine/placement/placement.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

class OpenCycle {
public:
    OpenCycle(ClusterState& state, DerivedState& derived, Time now, std::uint32_t budget);
    OpenCycle(const OpenCycle&) = delete;  // The preference refers to the view.
    OpenCycle& operator=(const OpenCycle&) = delete;

    // ---- What it reads.
    Time now() const { return now_; }
    const ClusterState& state() const { return state_; }
    const SchedulingSpec& scheduling() const { return state_.spec().scheduling; }
    DerivedState& derived() const { return derived_; }
    PlanBook& book() const { return derived_.book; }
    JobOrder& order() const { return derived_.pending.order(); }
    const EngineView& view() const { return view_; }
    const PlacementPreference& preference() const { return preference_; }
    void prefer_for(const PendingJob& job);  // The job to be placed next.

    // ---- What it decides.
    void decide(Fact fact);
    // The same for a fact that the derived state knows already.
    void record(Fact fact);
    std::size_t decided() const { return decisions_.size(); }
    // For what is no decision: news that are taken, reasons and priorities as readers see them, and
    // what is tried and rolled back.
    ClusterState& mutable_state() { return state_; }

    // ---- How much it may still try.
    bool spend();  // Takes one placement attempt. False: none left, or enough started.
    // False: the next cycle continues where this one stopped.
    bool complete() const { return complete_; }
    void leave_rest() { complete_ = false; }
    void note_start() { ++work_.starts; }
    std::uint32_t starts() const { return work_.starts; }
    bool started_most() const;  // bf_max_job_start
    CycleWork& work() { return work_; }

    bool moves_are_limited() const { return derived_.moves.applies(); }
    bool may_move() const { return derived_.moves.may_move(); }
    // Some job could perhaps move, but moves are limited.
    void leave_unmoved() { left_unmoved_ = true; }
    bool left_unmoved() const { return left_unmoved_; }

    // Ends the cycle.
    Cycle close(std::optional<Time> wake_at);

private:
    ClusterState& state_;
    DerivedState& derived_;
    Time now_;
    EngineView view_;
    PlacementPreference preference_;
    std::vector<Fact> decisions_;
    std::uint32_t budget_;
    bool complete_ = true;
    bool left_unmoved_ = false;
    CycleWork work_;
};

}  // namespace berth
