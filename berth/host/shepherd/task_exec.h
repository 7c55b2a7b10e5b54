// The last part of starting a task: sets the environment, looks the program up as the user would,
// and calls exec.
#pragma once

#include "berth/host/run/run_spec.h"

namespace berth {

// Does not return. A program that cannot be started is the user's error: the message goes to
// standard error, and the exit code is the errno, as with Slurm.
[[noreturn]] void exec_task(const RunSpec& run, const TaskSpec& task);

}  // namespace berth
