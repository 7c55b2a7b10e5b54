// Programs that a command runs where it is itself, and waits for: --prolog and --epilog, ldd, su.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"

namespace berth::slurm {

// Runs `program` with these arguments and variables. An error says that it could not be started, or
// how it failed. "none" is no program.
Status run_program(const std::string& program, const std::vector<std::string>& arguments,
                   const std::map<std::string, std::string>& environment);

// What it prints; nullopt if it fails, or has not ended in time. Its messages go nowhere.
std::optional<std::string> output_of(std::vector<std::string> words,
                                     std::vector<std::string> settings,
                                     std::chrono::seconds patience);

}  // namespace berth::slurm
