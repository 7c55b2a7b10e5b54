// How a cloned child becomes a task: it enters its cgroups, drops to its user, and calls exec.
#pragma once

#include <string>
#include <vector>

#include "berth/host/os/unique_fd.h"
#include "berth/host/run/run_spec.h"

namespace berth {

// The child's standard streams where they are not files: ends of pipes, or a terminal.
struct TaskPipes {
    UniqueFd in, out, err, terminal;
    // Further descriptors that the child keeps, after the first three, in order.
    std::vector<UniqueFd> kept;
};

// Files that the child has opened as its user, for the shepherd to write with labels.
struct LabelledFiles {
    UniqueFd out, err;
};

struct StartedTask {
    std::uint32_t rank = 0;
    int pid = 0;
    UniqueFd process;     // A pidfd.
    UniqueFd talk;        // To the child, until it calls exec.
    LabelledFiles files;  // Set once it is ready.
};

// Clones the child, directly into its v2 cgroup if there is one. The child gets ready and then
// waits before exec: see wait_until_ready() and let_go(). So nothing of the user's runs before all
// tasks of the run are known to be ready.
Result<StartedTask> start_task(const RunSpec& run, const TaskSpec& task, TaskPipes pipes);

// The error that kept it from getting ready; not_found if it could not open its files.
Status wait_until_ready(StartedTask& task);
void let_go(StartedTask& task);

}  // namespace berth
