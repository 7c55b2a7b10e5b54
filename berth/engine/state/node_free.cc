#include "berth/engine/state/node_free.h"

#include <algorithm>

namespace berth {
namespace {

DeviceMask devices_of(const NodeSpec& node) {
    return low_bits(static_cast<int>(node.devices.size()));
}

// The members of `cores` that exist on a node with `size` cores.
BitSet resized(const BitSet& cores, std::size_t size) {
    BitSet kept(size);
    for (std::size_t core = cores.find_first(); core < size; core = cores.find_next(core)) {
        kept.set(core);
    }
    return kept;
}

// Applies the operation to the free cores and those of a share: of another number of cores only
// after a change of the configuration.
template <class Operation>
void change_cores(BitSet& free, const BitSet& cores, Operation operation) {
    if (cores.size() == free.size()) {
        operation(free, cores);
    } else {
        operation(free, resized(cores, free.size()));
    }
}

}  // namespace

NodeFree all_free(const NodeSpec& node) {
    return {.amount = node.capacity,
            .cores = BitSet::all(node.cores()),
            .devices = devices_of(node),
            .shared = {},
            .jobs = 0,
            .drained = 0,
            .withheld = 0};
}

const SharedDevice* find_shared(const NodeFree& free, std::uint32_t device) {
    const auto found = std::ranges::find(free.shared, device, &SharedDevice::device);
    return found == free.shared.end() ? nullptr : &*found;
}

std::int64_t parts_left(const NodeSpec& node, const NodeFree& free, std::uint32_t device,
                        DimensionId kind) {
    const std::vector<ShareKind>& kinds = node.devices[device].shares;
    const auto own = std::ranges::find(kinds, kind, &ShareKind::dimension);
    if (own == kinds.end() || (free.drained & bit(static_cast<int>(device))) != 0) return 0;
    if (const SharedDevice* shared = find_shared(free, device)) {
        return shared->used.dimension == kind ? own->parts - shared->used.parts : 0;
    }
    return (free.devices & bit(static_cast<int>(device))) != 0 ? own->parts : 0;
}

bool has_room_for(const NodeSpec& node, const NodeFree& free, const DeviceShare& share) {
    return share.device < node.devices.size() &&
           share.part.parts <= parts_left(node, free, share.device, share.part.dimension);
}

namespace {

void take_part(NodeFree& free, const DeviceShare& share, const NodeSpec& node) {
    if (share.device >= node.devices.size()) return;
    auto at = std::ranges::lower_bound(free.shared, share.device, {}, &SharedDevice::device);
    if (at == free.shared.end() || at->device != share.device) {
        const ShareKind none{share.part.dimension, 0};
        at = free.shared.insert(at, {.device = share.device, .used = none, .jobs = 0});
        free.devices &= ~bit(static_cast<int>(share.device));
        free.amount[node.devices[share.device].dimension] -= 1;
    }
    at->used.parts += share.part.parts;
    at->jobs += 1;
}

void give_back_part(NodeFree& free, const DeviceShare& share, const NodeSpec& node) {
    if (share.device >= node.devices.size()) return;
    const auto at = std::ranges::find(free.shared, share.device, &SharedDevice::device);
    BERTH_ASSERT(at != free.shared.end());
    at->used.parts -= share.part.parts;
    at->jobs -= 1;
    if (at->jobs > 0) return;
    free.shared.erase(at);
    if (const DeviceMask one = bit(static_cast<int>(share.device)); (free.drained & one) != 0) {
        free.withheld |= one;
        return;
    }
    free.devices |= bit(static_cast<int>(share.device));
    free.amount[node.devices[share.device].dimension] += 1;
}

}  // namespace

void subtract(NodeFree& free, const NodeShare& share, const NodeSpec& node) {
    free.amount -= share.amount;
    change_cores(free.cores, share.cores, [](BitSet& a, const BitSet& b) { a -= b; });
    free.devices &= ~share.whole_devices();
    if (share.device_share) take_part(free, *share.device_share, node);
    free.jobs += 1;
}

void give_back(NodeFree& free, const NodeShare& share, const NodeSpec& node) {
    BERTH_ASSERT(free.jobs > 0);
    free.amount += share.amount;
    change_cores(free.cores, share.cores, [](BitSet& a, const BitSet& b) { a |= b; });
    const DeviceMask whole = share.whole_devices() & devices_of(node);
    free.devices |= whole & ~free.drained;
    free.withheld |= whole & free.drained;
    for_each_bit(whole & free.drained, [&](int device) {
        free.amount[node.devices[static_cast<std::size_t>(device)].dimension] -= 1;
    });
    if (share.device_share) give_back_part(free, *share.device_share, node);
    free.jobs -= 1;
}

void drain(NodeFree& free, DeviceMask devices, const NodeSpec& node) {
    devices &= devices_of(node) & ~free.drained;
    for_each_bit(devices & free.devices, [&](int device) {
        free.amount[node.devices[static_cast<std::size_t>(device)].dimension] -= 1;
    });
    free.withheld |= devices & free.devices;
    free.devices &= ~devices;
    free.drained |= devices;
}

}  // namespace berth
