// What --help of sbatch, srun and salloc says of each option, from the table of options.
#pragma once

#include <string>

#include "berth/slurm/options/job_options.h"

namespace berth::slurm {

// Every option that the command takes and that has an effect, under Slurm's headings; then those
// without meaning, by name.
std::string job_options_help(CommandBits command);

// The words for one option, by its long name; empty: there are none.
std::string_view help_on(std::string_view option_name, CommandBits command);

}  // namespace berth::slurm
