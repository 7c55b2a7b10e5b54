// Allocation: exactly what a running job holds, node by node.
#pragma once

#include <optional>
#include <vector>

#include "berth/base/bitmask.h"
#include "berth/base/fields.h"
#include "berth/base/maybe.h"
#include "berth/base/shared.h"
#include "berth/model/license.h"
#include "berth/model/node.h"
#include "berth/model/preemption.h"
#include "berth/model/promised_amounts.h"

namespace berth {

// A part of one device, which others may have the rest of.
struct DeviceShare {
    std::uint32_t device = 0;  // Its place in NodeSpec::devices.
    ShareKind part;            // So many parts, in this way of sharing.

    BERTH_FIELDS(DeviceShare, device, part)
};

struct NodeShare {
    NodeId node{0};
    BitSet cores;  // Of the node, numbered socket by socket.
    Bytes memory;
    DeviceMask devices = 0;  // Over NodeSpec::devices; the shared one too.
    Resources amount;        // The same in one vector, with count-only GRES; what is taken from the
                             // node's free.
    std::uint32_t tasks = 1;
    std::uint32_t cpus = 0;                   // CPUs (threads) that go with the cores.
    std::optional<DeviceShare> device_share;  // Of one device of `devices`; the rest are whole.

    DeviceMask whole_devices() const {
        return device_share ? devices & ~(DeviceMask{1} << device_share->device) : devices;
    }

    BERTH_FIELDS(NodeShare, node, cores, memory, devices, amount, tasks, cpus, device_share)
};

// The devices that both have and that one of them has whole, or that they share in different ways.
inline DeviceMask in_conflict(const NodeShare& a, const NodeShare& b) {
    const DeviceMask both = a.devices & b.devices;
    const bool alike = a.device_share && b.device_share &&
                       a.device_share->part.dimension == b.device_share->part.dimension;
    return alike ? both & (a.whole_devices() | b.whole_devices()) : both;
}

struct Allocation {
    std::vector<NodeShare>
        shares;  // One per node still held, in node order. The first one is the batch host's.
    std::vector<LicenseCount> licenses;  // Held until the last of them is given back.
    Rare<PreemptedRun> preempted;        // The run must end so that another job starts.
    Rare<RunCheckpoint> checkpoint;

    BERTH_FIELDS(Allocation, shares, licenses, preempted, checkpoint)
};

// A blocked job's promise: these amounts of these nodes from `start` to `end`. Which cores and
// devices is settled at the start.
struct PlannedStart {
    Time start{}, end{};
    PlannedAmounts amounts;  // The state and the plan hold the same one.
    Shared<std::vector<LicenseCount>> licenses;

    BERTH_FIELDS(PlannedStart, start, end, amounts, licenses)
};

}  // namespace berth
