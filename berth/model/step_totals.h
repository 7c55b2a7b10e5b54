// StepTotals: what a step (or a batch script) has used on all its nodes together.
#pragma once

#include <string>

#include "berth/model/run_usage.h"

namespace berth {

struct StepTotals {
    std::int64_t user_ms = 0, system_ms = 0;  // CPU time.
    std::int64_t rss_max = 0;                 // Bytes: the most there was on any one node …
    std::string rss_max_node;
    std::int64_t rss_sum = 0;  // … and of all nodes together.
    std::int64_t cpu_min_ms = 0;
    std::string cpu_min_node;
    std::uint32_t tasks = 0, nodes = 0;
    BERTH_FIELDS(StepTotals, user_ms, system_ms, rss_max, rss_max_node, rss_sum, cpu_min_ms,
                 cpu_min_node, tasks, nodes)
};

void add(StepTotals& totals, const RunUsage& usage, const std::string& node);

}  // namespace berth
