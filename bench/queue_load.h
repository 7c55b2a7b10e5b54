// A queue from a file, so that another scheduler can be measured on the same one:
//
//   nodes COUNT               all with eight GPUs, in one partition
//   run NODES MINUTES         whole nodes, the next ones that are free, until then
//   job NODES GPUS MINUTES    who waits, in this order
#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/engine/cycle/engine.h"

namespace berth::bench {

struct GivenQueue {
    struct Run {
        std::uint32_t nodes = 0;
        std::int64_t minutes = 0;
    };
    struct Waiting {
        std::uint32_t nodes = 0;
        std::int64_t gpus = 0, minutes = 0;
    };
    std::uint32_t nodes = 0;
    std::vector<Run> runs;
    std::vector<Waiting> jobs;
};

Result<GivenQueue> read_queue(const std::string& file);

Engine busy_engine(const GivenQueue& queue);
void submit(Engine& engine, const GivenQueue& queue);

}  // namespace berth::bench
