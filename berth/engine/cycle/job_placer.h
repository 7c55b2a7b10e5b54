// JobPlacer: places one job: starts it, plans its start, or moves the planned start earlier.
#pragma once

#include "berth/engine/cycle/component_placer.h"
#include "berth/engine/cycle/earlier_starts.h"
#include "berth/engine/cycle/eligibility.h"
#include "berth/engine/cycle/preemptor.h"
#include "berth/engine/cycle/start_finder.h"

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
          preemptor_(cycle, finder) {}

    // Whether nothing that happened since the job was last tried can help it, or the job cannot be
    // moved in this cycle.
    bool is_settled(PendingJob& job, bool may_plan);

    // Starts the job if it can start now; otherwise plans its earliest start if that is before its
    // current planned start. Of an array, starts as many tasks as it can. Then preempts other runs
    // if that lets it start sooner. Returns false when the job is no longer pending.
    bool try_to_schedule(PendingJob& job, Time floor, bool may_plan);

private:
    bool is_settled_by_limits(PendingJob& job, bool may_plan);
    bool try_job(PendingJob& job, Time floor, bool may_plan);  // True: started.
    bool take_start(PendingJob& job, const std::optional<Found>& found,
                    std::optional<PlannedReservation> before, bool keeps);
    bool start_with_less(PendingJob& pending);
    bool start_on_loan(PendingJob& pending);
    std::optional<StartJob> find_on_loan(const PendingJob& pending);
    std::optional<Duration> less_than_limit(const PendingJob& pending) const;

    OpenCycle& cycle_;
    Eligibility& eligibility_;
    StartBounds& bounds_;
    StartFinder& finder_;
    ComponentPlacer components_;
    EarlierStarts earlier_;
    Preemptor preemptor_;
};

}  // namespace berth
