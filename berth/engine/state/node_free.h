// NodeFree: what is left of one node.
#pragma once

#include "berth/model/allocation.h"

namespace berth {

// A device that is given out in parts, in one way of sharing as long as anyone has a part of it.
struct SharedDevice {
    std::uint32_t device = 0;
    ShareKind used;
    std::uint32_t jobs = 0;
    friend bool operator==(const SharedDevice&, const SharedDevice&) = default;
};

// What is free on a node now: capacity less what allocations hold, device by device and core by
// core. An amount is below zero where a later configuration made the node smaller than its jobs.
struct NodeFree {
    Resources amount;
    BitSet cores;
    DeviceMask devices = 0;            // Whole ones.
    std::vector<SharedDevice> shared;  // By device.
    std::uint32_t jobs = 0;            // That hold something here.
    DeviceMask drained = 0;   // Not given out again: who has one keeps it, and then it is not free.
    DeviceMask withheld = 0;  // Those of them that nobody has any more.
    friend bool operator==(const NodeFree&, const NodeFree&) = default;
};

NodeFree all_free(const NodeSpec& node);

const SharedDevice* find_shared(const NodeFree& free, std::uint32_t device);
// How many parts of the device can be had now, in this way of sharing.
std::int64_t parts_left(const NodeSpec& node, const NodeFree& free, std::uint32_t device,
                        DimensionId kind);
bool has_room_for(const NodeSpec& node, const NodeFree& free, const DeviceShare& share);

// REQUIRES of subtract: the share is free. What a share names beyond the node's present cores and
// devices is passed over.
void subtract(NodeFree& free, const NodeShare& share, const NodeSpec& node);
void give_back(NodeFree& free, const NodeShare& share, const NodeSpec& node);
// Takes out what is free of these devices, and notes the rest.
void drain(NodeFree& free, DeviceMask devices, const NodeSpec& node);

}  // namespace berth
