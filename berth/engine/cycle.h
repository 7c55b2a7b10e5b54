// CycleRun: one cycle of the scheduler. End what is over its limit → admit → order → keep or repair
// the plan → start and plan, until nothing more fits → say why the rest waits.
//
// A promise is kept: a job's planned start only ever moves earlier. It moves later in these cases
// alone: a node of it can no longer take work, a running job went over its time and so did the
// slack, an administrator moved a job ahead or changed the configuration.
#pragma once

#include "berth/engine/engine.h"
#include "berth/engine/outlook.h"
#include "berth/engine/plan_search.h"

namespace berth {

class CycleRun {
public:
    CycleRun(Engine& engine, Outlook& outlook, Time now, std::uint32_t budget);

    Cycle run();

private:
    const ClusterState& state() const { return engine_.state(); }
    const SchedulingSpec& scheduling() const { return state().spec().scheduling; }
    void decide(Fact fact);
    bool spend();  // One placement attempt; false: none is left.

    // cycle.cc
    void end_overdue();
    void close_gates();
    void judge(PendingJob& job);
    void find_chance(Shape& shape) const;
    void write_promises();
    void write_reasons();
    void prioritize_running();
    std::optional<Time> next_wake() const;

    // cycle_place.cc
    struct Standing {                       // Of the pass under way.
        std::uint32_t blocked = 0;          // Jobs passed that did not start.
        std::map<PartitionId, Time> floor;  // Without backfill: none starts before those ahead.
    };
    // How a job was left that did not start: what was given back since matters to it only if it had
    // been booked before `reach`.
    struct Passed {
        ReleaseNumber at = 0;  // 0: not looked at yet.
        Time reach{};
        bool may_plan = false;
    };
    void repair();
    bool is_void(const PendingJob& job, const Booking& promise) const;
    bool collides(const Booking& promise) const;
    void replan_from(std::size_t first, const std::vector<bool>& broken);
    void pass();
    bool is_settled(const Passed& passed, bool may_plan) const;
    Passed passed_by(const PendingJob& job, bool may_plan) const;
    bool shares_a_limit(const PendingJob& pending) const;
    bool attend(PendingJob& job, Standing& standing);  // False: it is not pending any more.
    std::optional<Time> hope_for(const PendingJob& job, const Booking& promise);
    Time hope_for(Shape& shape, Time from, Time latest) const;
    std::optional<Time> hope_since(const Shape& shape, ReleaseNumber since, Time latest) const;
    bool is_useful(const Release& release, const Shape& shape, Time end) const;
    // Starts the job if it can start now; else books the earliest start, if that is before the
    // promise it has. True: started.
    bool try_job(PendingJob& job, Time floor, bool may_plan);
    std::optional<Found> search(const PendingJob& job, Time from, Time latest);
    JobId start(const PendingJob& job, const std::vector<Part>& parts);  // What runs: the task.
    Booking booking_for(const PendingJob& job, const Found& found) const;

    Engine& engine_;
    Outlook& outlook_;
    Time now_;
    std::uint32_t budget_;
    EngineView view_;
    Taste taste_;
    Cycle result_;
    std::vector<PendingJob*> order_;
};

// How much longer than its limit a promise is booked for: what its own start may be late by, and
// its end, before anyone behind it is.
Duration promise_slack(const SchedulingSpec& scheduling);

}  // namespace berth
