// NodeFree: what is left of one node.
#pragma once

#include "berth/model/allocation.h"

namespace berth {

// What is free on a node now: capacity less what allocations hold, device by device and core by
// core. An amount is below zero where a later configuration made the node smaller than its jobs.
struct NodeFree {
    Resources amount;
    BitSet cores;
    DeviceMask devices = 0;
    std::uint32_t jobs = 0;  // That hold something here.
    friend bool operator==(const NodeFree&, const NodeFree&) = default;
};

NodeFree all_free(const NodeSpec& node);

// REQUIRES of subtract: the share is free. What a share names beyond the node's present cores and
// devices is passed over.
void subtract(NodeFree& free, const NodeShare& share);
void give_back(NodeFree& free, const NodeShare& share, const NodeSpec& node);

}  // namespace berth
