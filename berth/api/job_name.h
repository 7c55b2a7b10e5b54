// JobName: how users name a job, or tasks of an array: "12", "12_3", "12_[1-3,7]".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/ids.h"

namespace berth::api {

inline constexpr std::size_t kTasksNamedMax = 100'000;

struct JobName {
    JobId job{0};
    std::vector<std::uint32_t> array_tasks;  // Sorted, each once. Empty: the job, all of it.
    friend bool operator==(const JobName&, const JobName&) = default;
};

// Steps are allowed as in Slurm, "1-9:2".
Result<JobName> parse_job_name(std::string_view text);
std::string to_string(const JobName& name);

}  // namespace berth::api
