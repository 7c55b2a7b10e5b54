// The last step into a task: its environment, the program looked up as the user would, and exec.
#pragma once

#include "berth/host/run/run_spec.h"

namespace berth {

// Does not return. A program that cannot be started is the user's affair: it is said on standard
// error and the errno is the exit code, as with Slurm.
[[noreturn]] void exec_task(const RunSpec& run, const TaskSpec& task);

}  // namespace berth
