// berth sim table kueue: Kueue's published performance workloads on our controller.
#pragma once

#include <cstdint>
#include <string>

#include "berth/cli/output.h"

namespace berth::cli {

struct SimKueueOptions {
    std::string json;
    std::string only;             // One workload; empty: both.
    std::uint32_t cohorts = 0;    // Of each workload; 0: all.
    std::int64_t turn_cost = -1;  // Microseconds of virtual time; below 0: the CPU time it takes.
};
int sim_table_kueue(const SimKueueOptions& options, Output& output);

}  // namespace berth::cli
