// Jobs of a Slurm cluster, submitted here as their owners.
#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/cli/output.h"
#include "berth/client/endpoint.h"
#include "berth/slurm/moving/moved_jobs.h"

namespace berth::cli {

// Runs sbatch for each job, as its owner, and prints the number that it has here. Submitted again,
// a job stays the one that it is: its request id is made of `cluster` and Slurm's number. Returns
// how many were refused; an error: none can be submitted from here.
Result<std::size_t> submit_moved_jobs(const std::vector<slurm::MovedJob>& jobs,
                                      const std::string& cluster, const Endpoint& endpoint,
                                      Output& output);

}  // namespace berth::cli
