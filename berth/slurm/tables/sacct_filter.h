// SacctFilter: what sacct chooses jobs by that the controller does not choose by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::slurm {

struct CountRange {
    std::uint32_t least = 0, most = 0;
};

struct SacctFilter {
    std::vector<std::string> nodes, qos, wckeys;
    std::vector<std::string> features;  // The job asked for all of them.
    std::vector<std::uint32_t> groups;
    std::optional<CountRange> cpus, node_count;  // Of what the job was given.
    std::optional<Duration> time_least, time_most;

    Status set_groups(const char* text);      // Names and numbers, by commas.
    Status set_cpus(const char* text);        // "4", "2-8"
    Status set_node_count(const char* text);  // Likewise.
    Status set_time_least(const char* text);  // Alone: exactly this time limit.
    Status set_time_most(const char* text);   // No meaning without the least.
    bool has(const api::AccountingRow& job) const;
};

}  // namespace berth::slurm
