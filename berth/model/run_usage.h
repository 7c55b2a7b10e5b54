// RunUsage: what the processes of one run (a batch script, or a step's tasks on one node) have used
// so far.
#pragma once

#include "berth/base/fields.h"
#include "berth/base/quantity.h"
#include "berth/base/time.h"
#include "berth/model/ids.h"

namespace berth {

struct RunUsage {
    Duration user{}, system{};  // CPU time.
    Bytes rss, rss_max;         // Memory in use now, and the most there was.
    std::uint32_t tasks = 0;    // Of the step on this node; 1 for a script.
    std::int64_t gpu_utilisation =
        -1;                // Percent, the mean of its GPUs over its time; -1: not read.
    Bytes gpu_memory_max;  // Of all its GPUs together, the most there was.
    Bytes read, written;   // From and to disks.
    BERTH_FIELDS(RunUsage, user, system, rss, rss_max, tasks, gpu_utilisation, gpu_memory_max, read,
                 written)
};

struct StepUsage {
    JobId job{0};
    Attempt attempt{0};
    StepId step{0};
    RunUsage usage;
    BERTH_FIELDS(StepUsage, job, attempt, step, usage)
};

}  // namespace berth
