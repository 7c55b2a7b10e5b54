// Allocation: exactly what a running job holds, node by node.
#pragma once

#include <vector>

#include "berth/base/bitmask.h"
#include "berth/base/fields.h"
#include "berth/model/node.h"

namespace berth {

struct NodeShare {
    NodeId node{0};
    BitSet cores;  // Of the node, numbered socket by socket.
    Bytes memory;
    DeviceMask devices = 0;  // Over NodeSpec::devices.
    Resources amount;        // The same in one vector, with count-only GRES; what is taken from the
                             // node's free.
    std::uint32_t tasks = 1;
    std::uint32_t cpus = 0;  // CPUs (threads) that go with the cores.

    BERTH_FIELDS(NodeShare, node, cores, memory, devices, amount, tasks, cpus)
};

struct Allocation {
    std::vector<NodeShare>
        shares;  // One per node still held, in node order. The first one is the batch host's.

    BERTH_FIELDS(Allocation, shares)
};

// A blocked job's promise: these amounts of these nodes from `start` to `end`. Which cores and
// devices is settled at the start.
struct PlannedStart {
    Time start{}, end{};
    std::vector<std::pair<NodeId, Resources>> amounts;

    BERTH_FIELDS(PlannedStart, start, end, amounts)
};

}  // namespace berth
