// NodeFree: the free resources of one node.
#pragma once

#include "berth/model/allocation.h"

namespace berth {

// A device of which parts are allocated. All parts are of one kind of sharing, as long as any part
// is allocated.
struct SharedDevice {
    std::uint32_t device = 0;
    ShareKind used;
    std::uint32_t jobs = 0;
    friend bool operator==(const SharedDevice&, const SharedDevice&) = default;
};

// What is free on a node now: capacity less allocations, device by device and core by core. An
// amount is negative if a later configuration made the node smaller than its jobs.
struct NodeFree {
    Resources amount;
    BitSet cores;
    DeviceMask devices = 0;            // Entirely free devices.
    std::vector<SharedDevice> shared;  // By device.
    std::uint32_t jobs = 0;            // Number of jobs that hold something here.
    // Drained devices: a job that holds one keeps it, but it is not allocated again.
    DeviceMask drained = 0;
    DeviceMask withheld = 0;  // Drained devices that no job holds any more.
    friend bool operator==(const NodeFree&, const NodeFree&) = default;
};

NodeFree all_free(const NodeSpec& node);

const SharedDevice* find_shared(const NodeFree& free, std::uint32_t device);
// How many parts of the device can be allocated now, with this kind of sharing.
std::int64_t parts_left(const NodeSpec& node, const NodeFree& free, std::uint32_t device,
                        DimensionId kind);
bool has_room_for(const NodeSpec& node, const NodeFree& free, const DeviceShare& share);

// subtract() REQUIRES: the share is free. Cores and devices of a share that the node no longer has
// are ignored.
void subtract(NodeFree& free, const NodeShare& share, const NodeSpec& node);
void give_back(NodeFree& free, const NodeShare& share, const NodeSpec& node);
// Drains these devices: removes the free ones at once, the others when they are given back.
void drain(NodeFree& free, DeviceMask devices, const NodeSpec& node);

}  // namespace berth
