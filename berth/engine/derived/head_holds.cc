#include "berth/engine/derived/head_holds.h"

#include <algorithm>

namespace berth {

const HeadHold* HeadHolds::of(JobId job) const {
    const auto found = std::ranges::find(holds_, job, &HeadHold::job);
    return found == holds_.end() ? nullptr : &*found;
}

std::vector<NodeId> HeadHolds::replace(std::vector<HeadHold> holds, std::size_t nodes) {
    BitSet held(nodes);
    for (const HeadHold& hold : holds) held |= hold.nodes;
    std::vector<NodeId> freed;
    for (std::size_t n = held_.find_first(); n != BitSet::kNone; n = held_.find_next(n)) {
        if (!held.test(n)) freed.push_back(NodeId::from_index(n));
    }
    holds_ = std::move(holds);
    held_ = std::move(held);
    return freed;
}

BitSet HeadHolds::open_to(JobId job, const BitSet& usable) const {
    BitSet open = usable;
    for (const HeadHold& hold : holds_) {
        if (hold.job != job) open -= hold.nodes;
    }
    return open;
}

}  // namespace berth
