#include "berth/control/agents/sync_queue.h"

#include <algorithm>

namespace berth {

std::vector<NodeId> SyncQueue::take_marked() {
    std::vector<NodeId> nodes(marked_.begin(), marked_.end());
    marked_.clear();
    return nodes;
}

void SyncQueue::check_at(NodeId node, std::optional<Time> at) {
    std::optional<Time>& check = check_of_[node];
    if (check) checks_.erase({*check, node});
    check = at;
    if (at) checks_.insert({*at, node});
}

std::vector<NodeId> SyncQueue::take_due(Time now) {
    std::vector<NodeId> nodes;
    while (!checks_.empty() && checks_.begin()->first <= now) {
        const NodeId node = checks_.begin()->second;
        check_at(node, std::nullopt);
        nodes.push_back(node);
    }
    std::ranges::sort(nodes);
    return nodes;
}

std::optional<Time> SyncQueue::next_check() const {
    if (checks_.empty()) return std::nullopt;
    return checks_.begin()->first;
}

}  // namespace berth
