// NodeClasses: groups of nodes that are alike in everything a job can ask for: hardware, features,
// partitions. What holds for one node of a class holds for all.
#pragma once

#include <vector>

#include "berth/model/cluster_spec.h"

namespace berth {

class NodeClasses {
public:
    NodeClasses() = default;
    explicit NodeClasses(const ClusterSpec& spec);

    std::size_t size() const { return members_.size(); }
    std::size_t class_of(NodeId node) const { return class_of_[node.index()]; }
    const std::vector<NodeId>& members(std::size_t node_class) const {
        return members_[node_class];
    }
    // The kind of device that the class has most of, by which its free slots are indexed; cpu if it
    // has no devices.
    DimensionId key_dimension(std::size_t node_class) const { return key_[node_class]; }

    friend bool operator==(const NodeClasses&, const NodeClasses&) = default;

private:
    std::vector<std::uint32_t> class_of_;  // By NodeId.
    std::vector<std::vector<NodeId>> members_;
    std::vector<DimensionId> key_;
};

}  // namespace berth
