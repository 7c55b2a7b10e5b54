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
#include <set>
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

    // Its run or its planned start. REQUIRES: it has one, not lifted yet, and lends nothing.
    void lift(JobId job);
    // Its run stands still, and lends until then. A core is free if the run lends that began last
    // of those which hold it and are not lifted. Nothing else that it holds is free.
    void lend(JobId job, Time until = kNever);
    // Its run is expected to end at that time.
    void lengthen(JobId job, Time end);
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
        std::optional<Time> ended;  // Of a run whose end has moved: when it was.
        // Of a planned start: its place in PlanBook::planned_on() of each node.
        std::vector<std::ptrdiff_t> places;
        // Of a run: the shared GPUs that it used, what its nodes had free if it cannot simply be
        // taken again, and the drained devices that it held, which stay booked.
        std::vector<std::pair<PlanBook::DeviceKey, PlanBook::Shared>> shared;
        std::vector<NodeFree> free;
        std::vector<std::pair<NodeId, Resources>> drained;
        // Of a run that lends, or that is lifted from lent cores: what was given back of the
        // reservations that have these cores. `free` is what the nodes had free.
        struct Lent {
            JobId holder;
            NodeId node;
            Span span;
            Resources cpu;
        };
        std::vector<Lent> lent;
    };
    void lift_run(const Job& job, Undo& undo);
    void give_back_run(const Job& job, const NodeShare& share, Undo& undo);
    bool is_shared(const Job& job, const NodeShare& share) const;
    std::vector<const Job*> left_on(NodeId node) const;
    BitSet freed_cores(const NodeShare& share, const std::vector<const Job*>& left) const;
    void lend_on(const NodeShare& share, Time until, Undo& undo);
    void book_freed(const std::vector<const Job*>& left, NodeId node, BitSet freed, Time until,
                    Undo& undo);
    void change_lent(const Undo::Lent& lent, bool more);
    Time move_end(JobId job, Time end);
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
    std::set<JobId> lifted_, lending_;  // Runs.
};

}  // namespace berth
