// JobPlacer: places one job: starts it, plans its start, or moves the planned start earlier.
#pragma once

#include "berth/engine/cycle/component_placer.h"
#include "berth/engine/cycle/earlier_starts.h"
#include "berth/engine/cycle/eligibility.h"
#include "berth/engine/cycle/other_partitions.h"
#include "berth/engine/cycle/preemptor.h"
#include "berth/engine/cycle/start_finder.h"
#include "berth/engine/cycle/turn_starts.h"
#include "berth/engine/limits/flavor_choices.h"

namespace berth {

class JobPlacer {
public:
    JobPlacer(OpenCycle& cycle, Eligibility& eligibility, StartBounds& bounds, StartFinder& finder)
        : cycle_(cycle),
          eligibility_(eligibility),
          bounds_(bounds),
          finder_(finder),
          components_(cycle, finder),
          earlier_(cycle, bounds),
          others_(cycle, bounds, finder),
          turns_(cycle, finder),
          preemptor_(cycle, finder),
          displaces_(preemptor_.may_any_preempt() || turns_.may_any_start()) {}

    // Whether nothing that happened since the job was last tried can help it, or the job cannot be
    // moved in this cycle.
    bool is_settled(PendingJob& job, bool may_plan);

    // Starts the job if it can start now; otherwise plans its earliest start if that is before its
    // current planned start. Of an array, starts as many tasks as it can. Then lets it take turns
    // with other runs, or preempts them, if that lets it start sooner. Returns false when the job
    // is no longer pending.
    bool try_to_schedule(PendingJob& job, Time floor, bool may_plan);

    // Starts the job, or as many tasks as it can, in those of its other partitions that have a
    // lower tier: after all jobs have had their turn. REQUIRES: it names several.
    void try_in_lower_tiers(PendingJob& job);

    // Without backfill: starts the job in another of its partitions. `floors`: when each partition
    // may start a job again. True: it, or a task of it, has started. REQUIRES: it names several.
    using Which = OtherPartitions::Which;
    bool start_elsewhere(PendingJob& job, Which which, const std::vector<Time>& floors);

private:
    // Whether the job may preempt runs, or take turns with them, to start.
    bool may_displace(const PendingJob& job) {
        return displaces_ && (preemptor_.could_preempt(job) || turns_.could_start(job));
    }
    bool is_settled_by_limits(PendingJob& job, bool may_plan);
    bool try_job(PendingJob& job, Time floor, bool may_plan);  // True: started.
    bool take_start(PendingJob& job, const std::optional<Found>& found,
                    std::optional<PlannedReservation> before, bool keeps);
    bool start_with_less(PendingJob& pending);
    bool start_on_loan(PendingJob& pending);
    std::optional<StartJob> find_on_loan(const PendingJob& pending);
    std::optional<Duration> less_than_limit(const PendingJob& pending) const;
    bool check_again(PendingJob& job);
    bool move_elsewhere(PendingJob& job, const OtherPartitions::Look& look);  // True: started.
    WaitingPlace place_of(const PendingJob& job) const;
    void return_to(PendingJob& rest, const WaitingPlace& stood);
    PendingJob* next_of_array(JobId id);  // After a start. nullptr: there is none.

    OpenCycle& cycle_;
    Eligibility& eligibility_;
    StartBounds& bounds_;
    StartFinder& finder_;
    ComponentPlacer components_;
    EarlierStarts earlier_;
    OtherPartitions others_;
    TurnStarts turns_;
    Preemptor preemptor_;
    const bool displaces_;  // Whether the configuration lets any job do so.
};

}  // namespace berth
