// InputVariables: the environment variables that each command reads as if they were options: one
// table for each, as in Slurm's man pages. An option on the command line wins.
#pragma once

#include <getopt.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/slurm/text/command.h"

namespace berth::slurm {

struct InputVariable {
    const char* name;
    const char* option;    // Its long name.
    bool in_a_job = true;  // srun reads it within a job too, where most of SLURM_* tell of the job.
};

// Empty: the command reads none.
std::span<const InputVariable> input_variables(std::string_view command);

// "0", "no", "false" and "reset" leave an option without a value unset.
bool turns_on(std::string_view value);

// What is set, in the order of the table, as an ArgumentReader would give it.
struct SetVariable {
    const InputVariable* variable = nullptr;
    int letter = 0;               // Of getopt_long's row.
    const char* value = nullptr;  // nullptr: the option takes none.
};
std::vector<SetVariable> set_variables(const Invocation& call, std::span<const option> options);

// SLURM_EXIT_ERROR, and SLURM_EXIT_IMMEDIATE where nothing was free in time: what a command that
// runs other programs exits with after an error of its own.
int error_exit_code(const Invocation& call, int otherwise = 1);
int immediate_exit_code(const Invocation& call);

}  // namespace berth::slurm
