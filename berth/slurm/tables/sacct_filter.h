// SacctFilter: what sacct chooses jobs by that the controller does not choose by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::slurm {

struct CountRange {
    std::uint32_t least = 0, most = 0;
};

// --flags: which part of the scheduler started a job. There is but one, SchedMain.
struct JobFlags {
    bool none = true;  // It has not started.
    bool main = false;
};

struct SacctFilter {
    std::vector<std::string> nodes, qos, wckeys;
    std::vector<std::string> features;  // The job asked for all of them.
    std::vector<std::uint32_t> groups;
    std::optional<CountRange> cpus, node_count;  // Of what the job was given.
    std::optional<Duration> time_least, time_most;
    std::vector<std::string> reasons;  // In lower case, as scripts have them.
    std::optional<JobFlags> flags;
    std::vector<std::uint64_t> association_ids;  // As scontrol show assoc_mgr counts …
    std::vector<std::pair<std::string, std::string>> associations;  // … and account and user.
    std::optional<bool> whole_hetjob;                               // --whole-hetjob
    std::vector<JobId> components;  // Of heterogeneous jobs these alone; empty: all.

    Status set_groups(const char* text);      // Names and numbers, by commas.
    Status set_cpus(const char* text);        // "4", "2-8"
    Status set_node_count(const char* text);  // Likewise.
    Status set_time_least(const char* text);  // Alone: exactly this time limit.
    Status set_time_most(const char* text);   // No meaning without the least.
    Status set_reasons(const char* text);     // "Priority,NonZeroExitCode"
    Status set_flags(const char* text);       // "SchedMain,SchedBackfill"
    Status set_associations(const char* text);
    bool has(const api::AccountingRow& job) const;

private:
    bool is_chosen(const api::AccountingRow& job) const;  // By reason, flags, association, place.
};

}  // namespace berth::slurm
