// Program: one executable for all the Slurm-named commands; the name it is called by chooses.
#pragma once

#include <string_view>

#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

Command find_command(std::string_view name);  // nullptr: not one of ours.

// Runs the command of that name; an error that names all of them if there is none. Returns its exit
// code.
int run_command(const Invocation& call, Streams& streams);

}  // namespace berth::slurm
