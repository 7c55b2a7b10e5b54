// Runs that were told to end so that another job starts: the end of their grace time.
#pragma once

#include "berth/engine/cycle/open_cycle.h"

namespace berth {

// Ends the runs whose grace time is over.
void end_preempted(OpenCycle& cycle);

// Ends this run, which was preempted. Its job is requeued if it may be and its terms say so.
void end_preempted(OpenCycle& cycle, const Job& run);

// Runs that lend their cores go on once nobody has these, and nobody comes for them: the job that
// they wait for has started elsewhere, is gone, or has no planned start or hold any more.
void resume_lenders(OpenCycle& cycle);
// Those whose deadline has come: they are killed where they stand.
std::vector<JobId> lenders_past_deadline(const OpenCycle& cycle);
// Whether some could go on now.
bool any_lender_may_go_on(const OpenCycle& cycle);

// Whether the job has preempted and has not started yet: it chooses no other victims, and no job
// takes the room that they leave.
bool has_hold(const OpenCycle& cycle, JobId job);

// Whether runs stood still for the job, or for a task of its array, in vain a short while ago.
bool rests(const OpenCycle& cycle, const Job& job);

// How a run that is preempted ends. `now` tells whether its grace time was enough.
EndJob end_of_preempted(const ClusterState& state, const Job& run, Time now);

// The next end of a grace time, or time at which the search for victims may have another result.
std::optional<Time> next_preemption(const OpenCycle& cycle);

}  // namespace berth
