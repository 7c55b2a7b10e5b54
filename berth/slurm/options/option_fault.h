// What sbatch, srun and salloc say of a value that an option cannot take, and how they exit.
#pragma once

#include <string>

#include "berth/base/result.h"

namespace berth::slurm {

inline constexpr int kOptionError = 255;  // Slurm's exit code for a value that it cannot read.

struct OptionFault {
    std::string text;
    int exit_code = 1;
};

// Slurm finds most values wrong at once (255), and others only when it submits (1): those are begun
// by the words of `command` for a job that was not taken.
OptionFault option_fault(const std::string& command, const Error& error);

// What option_fault() begins with the words of the command: "Job dependency problem".
// `before`: a line of its own above that one; empty: none.
Error not_submitted(const std::string& why, const std::string& before = {});

}  // namespace berth::slurm
