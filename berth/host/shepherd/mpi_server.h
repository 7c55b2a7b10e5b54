// MpiServer: the program that answers the MPI library of a step's tasks on this node, from the
// shepherd's side. It runs as the step's user and in the step's cgroup, with a socket to each task
// and one to us: what it says there we pass on to srun and read no further.
#pragma once

#include <string>
#include <vector>

#include "berth/host/run/run_spec.h"
#include "berth/host/shepherd/task_child.h"

namespace berth {

struct MpiServer {
    StartedTask process;
    UniqueFd link;
    std::vector<UniqueFd> tasks;                        // Their ends, in order; none for PMIx.
    std::vector<std::vector<std::string>> environment;  // What they need to find it.
};

// Started, and ready for the tasks.
Result<MpiServer> start_mpi_server(const RunSpec& run);

}  // namespace berth
