#include "berth/engine/node_free.h"

namespace berth {
namespace {

DeviceMask devices_of(const NodeSpec& node) {
    return low_bits(static_cast<int>(node.devices.size()));
}

// The members of `cores` that a node of `size` cores has.
BitSet within(const BitSet& cores, std::size_t size) {
    if (cores.size() == size) return cores;
    BitSet kept(size);
    for (std::size_t core = cores.find_first(); core < size; core = cores.find_next(core)) {
        kept.set(core);
    }
    return kept;
}

}  // namespace

NodeFree all_free(const NodeSpec& node) {
    return {.amount = node.capacity,
            .cores = BitSet::all(node.cores()),
            .devices = devices_of(node),
            .jobs = 0};
}

void subtract(NodeFree& free, const NodeShare& share) {
    free.amount -= share.amount;
    free.cores -= within(share.cores, free.cores.size());
    free.devices &= ~share.devices;
    free.jobs += 1;
}

void give_back(NodeFree& free, const NodeShare& share, const NodeSpec& node) {
    BERTH_ASSERT(free.jobs > 0);
    free.amount += share.amount;
    free.cores |= within(share.cores, free.cores.size());
    free.devices |= share.devices & devices_of(node);
    free.jobs -= 1;
}

}  // namespace berth
