// Machine: what this machine is, as hwloc sees it, and how a configured node lies on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/node.h"

namespace berth {

struct Machine {
    std::uint32_t sockets = 1, numa_nodes = 1;
    std::vector<std::vector<int>> cpus_of_core;  // The system's CPU numbers, socket by socket.
    std::vector<std::uint32_t> socket_of_core;
    Bytes memory, tmp_disk;

    std::uint32_t cpus() const;
};

Result<Machine> discover_machine();

// The machine's CPUs for each core of a node that is configured so. Where the configuration counts
// every hardware thread as a core, each gets one. Empty: the node has more than the machine, so it
// is not this machine.
std::vector<std::vector<int>> cpus_of_node(const NodeSpec& node, const Machine& machine);

// What an agent registers as found: the machine's own cores and memory, and of the configured
// devices those that are there. A simulated one (it has no file) is.
NodeSpec found_node(const NodeSpec& configured, const Dimensions& dimensions,
                    const Machine& machine);

// The node that a machine makes when nothing is configured.
NodeSpec node_of(const Machine& machine, const std::string& name);

// The core that each CPU belongs to, for the affinity of GPUs.
BitSet cores_of_cpus(const std::vector<int>& cpus, const Machine& machine);

}  // namespace berth
