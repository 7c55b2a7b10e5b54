// PriorityRow from a snapshot: what sprio shows.
#pragma once

#include "berth/api/messages.h"
#include "berth/server/views/job_filter.h"

namespace berth {

// Rows of pending jobs, without held ones, those that wait for a time or another job, and those
// whose priority was set by hand, as in Slurm. With PriorityFlags=CALCULATE_RUNNING also of running
// jobs.
std::vector<api::PriorityRow> priority_rows(const Snapshot& snapshot, const JobFilter& filter,
                                            Time now);

}  // namespace berth
