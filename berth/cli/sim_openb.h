// berth sim table openb: GPUs that placement policies get to use on Alibaba's shared cluster.
#pragma once

#include <string>

#include "berth/cli/output.h"

namespace berth::cli {

struct SimOpenbOptions {
    std::string traces, json;
    std::string only;                  // One policy; empty: all.
    std::string orders = "published";  // Or ours: other orders of pods and nodes.
    std::uint32_t runs = 10, first_seed = 42;
    std::uint32_t threads = 0;  // 0: as many as there are cores.
};
int sim_table_openb(const SimOpenbOptions& options, Output& output);

}  // namespace berth::cli
