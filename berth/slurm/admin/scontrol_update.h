// scontrol update: its KEY=VALUE words as one change to jobs, to steps of a job or to nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"
#include "berth/slurm/admin/scontrol_job_keys.h"

namespace berth::slurm {

// "job 12 Nice=5" as "job=12 Nice=5".
std::vector<std::string> with_job_named(std::vector<std::string> words);

// What the words change. A job or a node is recognised first, since a job's change may name a
// reservation; a reservation before a partition, for the same reason.
enum class Updated : unsigned char { job_or_node, reservation, partition };
Updated what_is_updated(const std::vector<std::string>& words);

// JobName= without JobId=: the jobs of that name that are not over, of one user or of all.
struct JobsByName {
    std::string name;
    std::optional<std::string> user;  // UserID=, a name or a number.
};

struct Update {
    std::vector<std::string> names;  // Jobs or nodes; of steps one, as 12.0 or 12.
    std::optional<JobsByName> by_name;
    JobUpdate job;
    std::optional<api::NodePatch> node;  // Present: the change is to nodes.
    std::optional<api::StepPatch> step;  // Present: it is to steps.
};

Result<Update> parse_update(const std::vector<std::string>& words, Time now);

}  // namespace berth::slurm
