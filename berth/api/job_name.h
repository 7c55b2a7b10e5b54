// JobName: how users name a job, tasks of an array, or a component of a heterogeneous job: "12",
// "12_3", "12_[1-3,7]", "12+1".
#pragma once

#include <cstdint>
#include <optional>
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
    std::optional<std::uint32_t> het_offset = {};
    friend bool operator==(const JobName&, const JobName&) = default;
};

// Steps are allowed as in Slurm, "1-9:2".
Result<JobName> parse_job_name(std::string_view text);
std::string to_string(const JobName& name);

}  // namespace berth::api
