// JobVariables: the SLURM_* variables that tell what a job is and what it asked for. The same for
// its script, for what salloc starts, and for srun. Which are there and which are not is a
// contract: tools look at their absence too.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/model/job.h"

namespace berth {

using Variables = std::vector<std::pair<std::string, std::string>>;

struct JobIdentity {
    JobId job{0};
    std::string cluster, name, account, partition, qos;
    Owner owner;
    std::vector<std::string> node_names;
    std::vector<std::uint32_t> cpus, tasks;  // Of each node.
    Time started_at{};
    std::optional<Time> ends_at;  // By its time limit.
};

// SLURM_JOB_ID, SLURM_JOB_NODELIST, SLURM_JOB_CPUS_PER_NODE …
Variables job_variables(const JobIdentity& job);

// What is there only because the user asked for it: SLURM_NTASKS, SLURM_GPUS … `tasks` is how many
// run on all nodes together.
Variables asked_variables(const JobRequest& request, const JobCommand& command,
                          std::uint32_t tasks);

// -m as its variable has it: "cyclic", "block:cyclic", "*:block:block". Empty: nothing was said.
std::string distribution_text(TaskOrder order, const TaskLayout& layout);

// {4, 4, 1} -> "4(x2),1"
std::string counts_text(const std::vector<std::uint32_t>& counts);

}  // namespace berth
