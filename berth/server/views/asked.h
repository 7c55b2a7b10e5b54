// Asked: a job's request in the numbers that Slurm shows for a pending job.
#pragma once

#include "berth/server/views/tres_text.h"

namespace berth {

struct Asked {
    std::uint32_t nodes = 1, tasks = 1, cpus = 1;
    Tres tres;
    JobRequest request;  // With the partition's default memory if the job asked for none.
};

// The minimum: 2 for "-N 2-4".
Asked asked_of(const ClusterSpec& spec, const Job& job);

}  // namespace berth
