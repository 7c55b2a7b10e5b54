// Asked: what a job's request comes to in the numbers that Slurm shows of a job that waits.
#pragma once

#include "berth/server/views/tres.h"

namespace berth {

struct Asked {
    std::uint32_t nodes = 1, tasks = 1, cpus = 1;
    Tres tres;
    JobRequest request;  // With the partition's memory default where nothing was asked.
};

// The least that would do: of "-N 2-4" it is 2.
Asked asked_of(const ClusterSpec& spec, const Job& job);

}  // namespace berth
