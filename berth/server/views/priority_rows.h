// PriorityRow out of an edition: what sprio shows.
#pragma once

#include "berth/api/messages.h"
#include "berth/server/views/job_filter.h"

namespace berth {

// Of the jobs that wait and may start, as Slurm lists them: held ones, those that wait for a time
// or another job, and those whose priority was set by hand are left out. With
// PriorityFlags=CALCULATE_RUNNING those that run are there, too.
std::vector<api::PriorityRow> priority_rows(const Snapshot& snapshot, const JobFilter& filter,
                                            Time now);

}  // namespace berth
