// What --help of the commands that show and change things says of each option: squeue, sinfo,
// sacct, scancel, scontrol and others. Those of sbatch, srun and salloc: option_help.h.
#pragma once

#include <getopt.h>

#include <span>
#include <string>
#include <string_view>

#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// A line for each option that the command takes, in the order of their names; then those that print
// this and the version, and by name those that are accepted without meaning. `letters`: the short
// options, as getopt(3) takes them.
std::string command_help(const Invocation& call, std::span<const option> options,
                         std::string_view letters);

// Of one option: what stands behind "=", and what it does. Empty: there are no words for it.
struct OptionWords {
    std::string_view value, text;
};
OptionWords option_words(std::string_view command, std::string_view option_name);

}  // namespace berth::slurm
