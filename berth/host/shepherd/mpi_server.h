// MpiServer: the shepherd's side of the program that serves the MPI library of a step's tasks on
// this node. The program runs as the step's user in the step's cgroup. It has a socket to each task
// and one to the shepherd, which passes its messages on to srun unread.
#pragma once

#include <string>
#include <vector>

#include "berth/host/run/run_spec.h"
#include "berth/host/shepherd/task_child.h"

namespace berth {

struct MpiServer {
    StartedTask process;
    UniqueFd link;
    std::vector<UniqueFd> tasks;  // The tasks' ends, in order; none for PMIx.
    // The variables that the tasks need to find it.
    std::vector<std::vector<std::string>> environment;
};

// Starts it; it is ready for the tasks on return.
Result<MpiServer> start_mpi_server(const RunSpec& run);

}  // namespace berth
