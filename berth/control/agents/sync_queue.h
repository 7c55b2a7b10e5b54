// SyncQueue: which nodes to look at: those marked, at the end of this turn, and the others when
// their next check is due. Not recorded: a new controller looks at every node first.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "berth/base/time.h"
#include "berth/control/agents/per_node.h"

namespace berth {

class SyncQueue {
public:
    // Call when something that the node's orders depend on has changed.
    void mark(NodeId node) { marked_.insert(node); }
    std::vector<NodeId> take_marked();  // In node order.

    // Replaces the time of the node's next check; nullopt: none.
    void check_at(NodeId node, std::optional<Time> at);
    std::vector<NodeId> take_due(Time now);  // In node order.
    std::optional<Time> next_check() const;

private:
    std::set<NodeId> marked_;
    std::set<std::pair<Time, NodeId>> checks_;
    PerNode<std::optional<Time>> check_of_;  // The node's entry in `checks_`.
};

}  // namespace berth
