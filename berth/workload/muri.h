// Muri (Zhao et al., SIGCOMM '22): jobs derived from Philly's, with the model each trains.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/workload/workload.h"

namespace berth::workload {

// As its CSV has it; what a paper's own event loop needs.
struct MuriJob {
    std::uint64_t id = 0;
    std::int64_t gpus = 0;
    std::int64_t submit_ms = 0;
    std::int64_t iterations = 0;
    std::int64_t iteration_ms = 0;
    std::string model;

    BERTH_FIELDS(MuriJob, id, gpus, submit_ms, iterations, iteration_ms, model)
};

struct MuriTrace {
    std::vector<MuriJob> jobs;  // In the order of the file.
    std::vector<RowError> errors;
    std::size_t rows = 0, bad = 0;
};
Result<MuriTrace> read_muri_jobs(std::string_view text);

}  // namespace berth::workload
