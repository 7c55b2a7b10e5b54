// ScontrolJobKeys: the keys of `scontrol update JobId=`, in one table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/job_patch.h"
#include "berth/base/result.h"

namespace berth::slurm {

struct JobUpdate {
    api::JobPatch patch;
    Duration time_limit_by{};  // TimeLimit=+10 or -10: not 0.
    std::optional<Time> end;   // EndTime: of a job that runs.
};

// Sets what KEY=VALUE changes of a job. As in Slurm a key may be shortened, to three letters at
// least, and as long as it is no other's beginning. Errors name the key, and what can be used
// instead where it is Slurm's and not ours.
Status set_job_key(JobUpdate& update, const std::string& key, const std::string& value, Time now);

std::vector<std::string_view> job_update_keys();  // The names of all that can be changed.
// Whether set_job_key() knows the key, if only to tell what to use instead.
bool is_job_key(std::string_view key);

}  // namespace berth::slurm
