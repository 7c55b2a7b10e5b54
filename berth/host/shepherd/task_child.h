// What a cloned child does to become a task: into its cgroups, down to its user, and exec.
#pragma once

#include <string>
#include <vector>

#include "berth/host/os/unique_fd.h"
#include "berth/host/run/run_spec.h"

namespace berth {

// Where the child's standard streams come from if not from files: the ends of pipes, or a terminal.
struct TaskPipes {
    UniqueFd in, out, err, terminal;
    std::vector<UniqueFd> kept;  // Behind those three it has these, in order.
};

struct StartedTask {
    std::uint32_t rank = 0;
    int pid = 0;
    UniqueFd process;  // A pidfd.
    UniqueFd talk;     // To the child, until it execs.
};

// Clones the child, straight into its v2 cgroup where there is one. It gets ready and then waits
// for the word to exec: see wait_until_ready() and let_go(). So nothing of the user's runs before
// all tasks of the run are known to be ready.
Result<StartedTask> start_task(const RunSpec& run, const TaskSpec& task, TaskPipes pipes);

// The error is what kept it from getting ready: not_found where it was one of its files.
Status wait_until_ready(const StartedTask& task);
void let_go(StartedTask& task);

}  // namespace berth
