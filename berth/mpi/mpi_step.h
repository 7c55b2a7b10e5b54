// MpiStep: what the MPI server of a node is told of its step, and what it has for the tasks. Such a
// server is a program of its own, with the rights of the step's user and in the step's cgroup: what
// tasks send is read there, and never by the shepherd, which may be root.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/model/mpi_kind.h"

namespace berth {

struct MpiStep {
    std::string kind;              // kPmi2, kPmix; empty: there is no server.
    std::string name;              // "7.0"
    std::uint32_t tasks = 0;       // Of the whole step.
    std::uint32_t node_index = 0;  // Ours.
    std::uint32_t node_count = 0;
    std::string nodes;                 // Their names, in order, as a hostlist.
    std::string mapping;               // See process_mapping.h.
    std::vector<std::uint32_t> ranks;  // Of the tasks here.
    BERTH_FIELDS(MpiStep, kind, name, tasks, node_index, node_count, nodes, mapping, ranks)
};

struct MpiReady {
    std::string failure;                                // Not empty: it cannot serve.
    std::vector<std::vector<std::string>> environment;  // For each task here, in order.
    BERTH_FIELDS(MpiReady, failure, environment)
};

// Where a server finds its descriptors: to the shepherd, and behind that to each task here; and
// where a task finds the one to its server.
inline constexpr int kMpiLinkFd = 3, kMpiFirstTaskFd = 4, kMpiTaskFd = 3;

}  // namespace berth
