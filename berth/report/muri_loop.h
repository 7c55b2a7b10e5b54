// The event loop of Muri's paper (Zhao et al., SIGCOMM '22), made again from its description, so
// that its published figures come out digit by digit. It is not our scheduler, and nothing else
// uses it.
//
// It counts in floating-point seconds, and charges each running job the cost of a restart at every
// event of any job, as theirs does: see reference/papers.md. That is why it is kept apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/workload/muri.h"

namespace berth::report {

enum class MuriPolicy : std::uint8_t { srtf, srsf, tiresias };

struct MuriFigures {
    double average_jct = 0, makespan = 0, p99_jct = 0;
    std::size_t jobs = 0, preemptions = 0;
};

// On 8 nodes of 8 GPUs.
MuriFigures run_muri(const std::vector<workload::MuriJob>& jobs, MuriPolicy policy);

// What a start of this model on so many GPUs costs, in seconds.
int muri_start_cost(const std::string& model, std::int64_t gpus);

}  // namespace berth::report
