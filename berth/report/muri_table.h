// The tables of Muri's Figures 9 and 10: what was published, what its own event loop gives here,
// and what the real engine makes of the same jobs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"
#include "berth/workload/muri.h"

namespace berth::report {

struct MuriRow {
    std::string trace, policy, metric;  // "avg_jct", "makespan", "p99_jct"
    double published = 0, ours = 0;     // Seconds.
    bool exact = false;                 // The paper's loop: ours should be the published digits.
};

// "SRTF|avg_jct|trace1" -> seconds, from published_fig9_10.csv.
Result<std::map<std::string, double>> read_muri_published(std::string_view csv);

// The paper's own loop; then the engine with least_attained in five queues, from 3250 GPU seconds
// each ten times as long as the last, an operator who puts back every hour whoever has had
// much more than others, starts
// that cost what the paper measured, and no word of how long a job will take. Beside Tiresias.
std::vector<MuriRow> muri_rows(const std::string& trace, const workload::MuriTrace& jobs,
                               const workload::Workload& workload,
                               const std::map<std::string, double>& published);

inline constexpr const char* kMuriEngine = "engine";

// Nodes of this many GPUs, with CPUs and memory for all of them; one partition, first in first out.
ClusterSpec cluster_of(std::uint32_t nodes, int gpus);

}  // namespace berth::report
