// CycleRun: one cycle of the scheduler: the order in which its parts work. End jobs over their
// limit → admit → order → keep or repair the plan → start and plan until nothing more fits → record
// why the others wait.
//
// A planned start only ever moves earlier. It moves later only if one of its nodes can no longer
// take work, a running job exceeded its limit and used up the slack, or an administrator moved a
// job ahead or changed the configuration.
//
// The work of a cycle depends on what happened since the last one. First come the jobs at the head
// of the order, then the jobs that could start at once on released resources; these starts are
// published before the rest of the plan is made. The rest is planned in rounds over the whole
// order, in which each job moves to an earlier start if there is one, until a round finds none.
// When the budget runs out, the next cycle continues where the rounds stopped.
#pragma once

#include "berth/engine/cycle/eligibility.h"
#include "berth/engine/cycle/job_placer.h"
#include "berth/engine/cycle/open_cycle.h"
#include "berth/engine/cycle/plan_repair.h"
#include "berth/engine/cycle/rounds.h"
#include "berth/engine/cycle/start_passes.h"

namespace berth {

class CycleRun {
public:
    CycleRun(ClusterState& state, DerivedState& derived, Time now, std::uint32_t budget);

    Cycle run();
    // Only what does not wait for the end of a pause: limits and deadlines.
    Cycle run_paused();

private:
    void look_at_budgets();
    void find_order();
    void look_for_starts();
    void plan_rest();
    void keep_room();
    Cycle end();

    OpenCycle cycle_;
    Eligibility eligibility_;
    StartBounds bounds_;
    StartFinder finder_;
    JobPlacer placer_;
    StartPasses passes_;
    Rounds rounds_;
};

}  // namespace berth
