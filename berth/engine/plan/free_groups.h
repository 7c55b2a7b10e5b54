// FreeGroups: the nodes of each class, grouped by what running jobs leave free. A search for an
// immediate start considers a few nodes of each group instead of every node with room.
#pragma once

#include <map>
#include <vector>

#include "berth/engine/plan/node_classes.h"

namespace berth {

class FreeGroups {
public:
    using Nodes = std::vector<NodeId>;  // In order. A cluster has few enough to move them along.
    struct Less {
        bool operator()(const Resources& a, const Resources& b) const;
    };
    using Groups = std::map<Resources, Nodes, Less>;

    FreeGroups() = default;
    FreeGroups(FreeGroups&&) = default;  // No copies: each node names its group.
    FreeGroups& operator=(FreeGroups&&) = default;

    // Starts with every node entirely free.
    void rebuild(const ClusterSpec& spec, const NodeClasses& classes);
    // A run on this node took the amount or, with `more`, gave it back.
    void change(NodeId node, const Resources& amount, bool more);

    const Groups& of_class(std::size_t node_class) const { return groups_[node_class]; }

private:
    std::vector<std::uint32_t> class_of_;     // By NodeId.
    std::vector<Groups::iterator> group_of_;  // By NodeId.
    std::vector<Groups> groups_;              // By class.
};

}  // namespace berth
