// The last step into a task: its environment, the program looked up as the user would, and exec.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/host/run_spec.h"

namespace berth {

// Later settings of a name win over earlier ones; the first place stays. What is no NAME=value is
// left out.
std::vector<std::string> merge_environment(const std::vector<std::string>& base,
                                           const std::vector<std::string>& over);
std::string_view value_in(const std::vector<std::string>& environment, std::string_view name);

// Does not return. A program that cannot be started is the user's affair: it is said on standard
// error and the errno is the exit code, as with Slurm.
[[noreturn]] void exec_task(const RunSpec& run, const TaskSpec& task);

}  // namespace berth
