// FreeGroups: the nodes of each class that are alike in what the runs there leave free, so that a
// job that starts at once is offered a few of each kind instead of every node with room.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "berth/engine/plan/node_classes.h"

namespace berth {

class FreeGroups {
public:
    using Nodes = std::set<NodeId>;
    struct Less {
        bool operator()(const Resources& a, const Resources& b) const;
    };
    using Groups = std::map<Resources, Nodes, Less>;

    // All of it is free.
    void rebuild(const ClusterSpec& spec, const NodeClasses& classes);
    // A run has begun there or, with `more`, is over.
    void change(NodeId node, const Resources& amount, bool more);

    const Groups& of_class(std::size_t node_class) const { return groups_[node_class]; }
    const Resources& free(NodeId node) const { return free_[node.index()]; }

private:
    std::vector<std::uint32_t> class_of_;  // By NodeId.
    std::vector<Resources> free_;          // Likewise.
    std::vector<Groups> groups_;           // By class.
};

}  // namespace berth
