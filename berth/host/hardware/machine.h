// Machine: this machine as hwloc sees it, and how a configured node maps onto it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/node.h"

namespace berth {

struct Machine {
    std::uint32_t sockets = 1, numa_nodes = 1;
    // The operating system's CPU numbers, socket by socket.
    std::vector<std::vector<int>> cpus_of_core;
    std::vector<std::uint32_t> socket_of_core;
    Bytes memory, tmp_disk;

    std::uint32_t cpus() const;
};

Result<Machine> discover_machine();

// The machine's CPUs for each core of the configured node. If the configuration counts hardware
// threads as cores, each core gets one. Empty: the node has more cores than the machine, so it is
// not this machine.
std::vector<std::vector<int>> cpus_of_node(const NodeSpec& node, const Machine& machine);

// What an agent registers as found: the machine's own cores and memory, and those configured
// devices whose files exist. Simulated devices (without a file) count as found.
NodeSpec found_node(const NodeSpec& configured, const Dimensions& dimensions,
                    const Machine& machine);

// The node that this machine makes without any configuration.
NodeSpec node_of(const Machine& machine, const std::string& name);

// The cores that these CPUs belong to, for the affinity of GPUs.
BitSet cores_of_cpus(const std::vector<int>& cpus, const Machine& machine);

}  // namespace berth
