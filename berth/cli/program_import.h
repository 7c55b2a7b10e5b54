// The options of `berth import slurm`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "berth/cli/import_slurm.h"

namespace berth::cli {

// `chosen` is called once the command line has been read and names it. The options live as long.
void add_import(CLI::App& app, ImportOptions& options, const std::function<void()>& chosen);

}  // namespace berth::cli
