// A program that srun runs where it is itself, and waits for: --prolog and --epilog.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "berth/base/result.h"

namespace berth::slurm {

// Runs `program` with these arguments and variables. An error says that it could not be started, or
// how it failed. "none" is no program.
Status run_program(const std::string& program, const std::vector<std::string>& arguments,
                   const std::map<std::string, std::string>& environment);

}  // namespace berth::slurm
