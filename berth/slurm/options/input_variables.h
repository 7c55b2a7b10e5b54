// InputVariables: the environment variables that each command reads as if they were options: one
// table for each, as in Slurm's man pages. An option on the command line wins.
#pragma once

#include <getopt.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

struct InputVariable {
    const char* name;
    const char* option;  // Its long name.
    bool in_a_job =
        true;  // Also read by srun within a job, where most of SLURM_* describe the job.
};

// Empty: the command reads none.
std::span<const InputVariable> input_variables(std::string_view command);

// "0", "no", "false" and "reset" leave an option without a value unset.
bool turns_on(std::string_view value);

// The variables that are set, in the order of the table, as ArgumentReader would return them.
struct SetVariable {
    const InputVariable* variable = nullptr;
    int letter = 0;               // Of the row for getopt_long.
    const char* value = nullptr;  // nullptr: the option takes none.
};
std::vector<SetVariable> set_variables(const Invocation& call, std::span<const option> options);

// SLURM_EXIT_ERROR, or SLURM_EXIT_IMMEDIATE if nothing was free in time: the exit code after an
// error of the command itself, for commands that run other programs.
int error_exit_code(const Invocation& call, int otherwise = 1);
int immediate_exit_code(const Invocation& call);

}  // namespace berth::slurm
