// Core use: how many cores of a node a job's tasks take, and how these must lie on its sockets
// (--ntasks-per-socket, --ntasks-per-core, --threads-per-core).
#pragma once

#include <cstdint>

#include "berth/base/bitmask.h"
#include "berth/engine/placement/near.h"
#include "berth/model/node.h"

namespace berth {

// Cores are taken in units: `cores` of them for each `tasks`. With a number of tasks per socket a
// unit lies on one socket, and is one core, or is for one task.
struct CoreUse {
    std::uint64_t cores = 1, tasks = 1;
    bool overcommits = false;        // `cores` are for as many tasks as there are.
    bool on_sockets = false;         // Each socket gives whole units …
    std::uint32_t socket_cores = 0;  // … and at most so many cores; 0: it is too small for one.
    std::uint32_t of_sockets = 0;    // So many sockets give any; 0: all may.

    std::uint64_t cores_for(std::uint64_t of_tasks) const {
        if (overcommits) return of_tasks > 0 ? cores : 0;
        return (of_tasks * cores + tasks - 1) / tasks;
    }
    std::uint64_t tasks_in(std::uint64_t of_cores) const {
        if (overcommits) return of_cores >= cores ? UINT32_MAX : 0;
        return of_cores * tasks / cores;
    }
    friend bool operator==(const CoreUse&, const CoreUse&) = default;
};

// The threads of each of the node's cores that tasks use; `most`: as Near has it.
std::uint32_t threads_used(const NodeSpec& node, std::uint32_t most);

// Whether tasks may hold more CPUs of a node than they use.
inline bool limits_tasks(const Near& near) {
    return near.threads_per_core > 0 || near.layout.per_core > 0 || near.layout.per_socket > 0;
}

// How tasks with this many CPUs each use the cores of the node.
CoreUse core_use(const Near& near, std::uint32_t cpus_per_task, const NodeSpec& node);

// The most tasks for which the empty node has cores.
std::uint32_t most_tasks(const CoreUse& use, const NodeSpec& node);

// The most tasks for which there is room on these of its cores.
std::uint32_t tasks_on(const CoreUse& use, const NodeSpec& node, const BitSet& cores);

// The least number of free cores that has room for the tasks, whichever cores they are. REQUIRES:
// the empty node has room for them.
std::uint64_t enough_cores(const CoreUse& use, const NodeSpec& node, std::uint32_t tasks);

// The cores of one socket, as a set over the node's cores.
BitSet socket_cores(const NodeSpec& node, std::uint32_t socket);

}  // namespace berth
