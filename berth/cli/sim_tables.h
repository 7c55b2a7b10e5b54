// The options of `berth sim table` and its tables.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "berth/cli/output.h"
#include "berth/cli/sim_kueue.h"
#include "berth/cli/sim_openb.h"
#include "berth/cli/sim_table.h"

namespace berth::cli {

using Action = std::function<int()>;  // What is to be done once all options are read.

struct SimTables {
    SimTableOptions papers;
    SimOpenbOptions openb;
    SimKueueOptions kueue;
};

// All arguments must outlive the action.
void add_sim_tables(CLI::App* sim, SimTables& options, Action& action, Output& output);

}  // namespace berth::cli
