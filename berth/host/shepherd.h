// Shepherd: starts the tasks of one run, stays with them whatever becomes of the agent, and leaves
// word of how they ended.
#pragma once

#include <string>

namespace berth {

// The whole life of the program berth-step, for the run in this folder. Its lock is at kLockFd.
int shepherd_run(const std::string& run_folder);

}  // namespace berth
