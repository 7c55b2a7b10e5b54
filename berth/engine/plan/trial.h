// Trial: the cluster as it would be without some runs and planned starts, and with others. It is
// made on the state and the plan themselves, in O(what is tried), and taken back at its end:
// hundreds of trials in one decision cost what they change. For preemption, reclaim and what-if.
//
//   Trial trial(state, book);
//   trial.lift(victim);
//   const auto found = find_start(demand, {now, now, length}, book, usable, preference);
//
// While a trial is open, only the trial changes the state and the plan. The records of lifted jobs
// stay as they are: nodes, plan, quotas and licenses count them no more.
#pragma once

#include <optional>
#include <vector>

#include "berth/engine/plan/plan_book.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

class Trial {
public:
    Trial(ClusterState& state, PlanBook& book);
    ~Trial();  // Takes everything back.
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    void lift(JobId job);  // Its run or its planned start. REQUIRES: it has one, not lifted yet.
    // The cores of its run that nobody has borrowed are free, and nothing else that it holds.
    void lend(JobId job);
    // A planned start of a job that has none, as if it began at its time.
    void put(JobId job, PlannedReservation planned);

    // For searches that need levels of their own: requirements_of().
    PlanBook& book() { return book_; }

    // Marks nest: back_to() takes back all that came after its mark.
    using Mark = std::size_t;
    Mark mark() const { return log_.size(); }
    void back_to(Mark mark);

private:
    // What restores a reservation that was removed; without one, a reservation was entered.
    struct Undo {
        JobId job;
        std::optional<PlannedReservation> removed;
        bool lends = false;
        // Of a planned start: its place in PlanBook::planned_on() of each node.
        std::vector<std::ptrdiff_t> places;
        // Of a run: the shared GPUs that it used, what its nodes had free if it cannot simply be
        // taken again, and the drained devices that it held, which stay booked.
        std::vector<std::pair<PlanBook::DeviceKey, PlanBook::Shared>> shared;
        std::vector<NodeFree> free;
        std::vector<std::pair<NodeId, Resources>> drained;
        // Of a run that lends: what was given back of its own reservation, and of those whose cores
        // it has borrowed. `free` is what its nodes had free.
        struct Lent {
            JobId holder;
            NodeId node;
            Span span;
            Resources cpu;
        };
        std::vector<Lent> lent;
    };
    void lift_run(const Job& job, Undo& undo);
    void lend_on(const Job& job, const NodeShare& share, Undo& undo);
    void lend_of(const Job& holder, const NodeShare& share, BitSet& cores, Undo& undo);
    void book_lent(const Undo::Lent& lent, bool more);
    NodeShare own_part(const Job& job, const NodeShare& share) const;
    void lift_planned(Undo& undo);
    void undo_last();
    void restore_run(const Job& job, Undo& undo);
    void restore_lender(Undo& undo);
    void restore_planned(Undo& undo);
    void restore_shared(const PlanBook::DeviceKey& key, const PlanBook::Shared& before);
    void book_drained(const Undo& undo, bool more);

    ClusterState& state_;
    PlanBook& book_;
    std::size_t changed_before_;  // Length of PlanBook::changed_.
    std::vector<Undo> log_;
};

}  // namespace berth
