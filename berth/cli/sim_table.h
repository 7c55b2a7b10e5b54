// berth sim table: figures of papers, made again: published, ours, and the difference.
#pragma once

#include <string>

#include "berth/cli/output.h"

namespace berth::cli {

struct SimTableOptions {
    std::string traces;  // The folder with the papers' traces.
    std::string json;
    std::uint64_t jobs = 10'000, nodes = 100, seed = 1;  // Of `backfill`.
};
int sim_table_muri(const SimTableOptions& options, Output& output);
int sim_table_backfill(const SimTableOptions& options, Output& output);

}  // namespace berth::cli
