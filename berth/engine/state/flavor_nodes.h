// FlavorNodes: which nodes are of which flavor, for what is counted by flavor.
#pragma once

#include <cstdint>
#include <vector>

#include "berth/base/bitmask.h"
#include "berth/engine/state/quota_limits.h"
#include "berth/model/cluster_spec.h"

namespace berth {

class FlavorNodes {
public:
    FlavorNodes() = default;
    explicit FlavorNodes(const ClusterSpec& spec);

    bool any() const { return !nodes_.empty(); }
    std::size_t size() const { return nodes_.size(); }
    const BitSet& nodes_of(std::size_t flavor) const { return nodes_[flavor]; }
    std::uint8_t of(NodeId node) const {
        return node.index() < of_.size() ? of_[node.index()] : FlavorChoice::kNone;
    }
    // The flavor of all these nodes; FlavorChoice::kNone: they are not all of one.
    std::uint8_t of_all(const std::vector<BitSet>& nodes) const;

    friend bool operator==(const FlavorNodes&, const FlavorNodes&) = default;

private:
    std::vector<std::uint8_t> of_;  // By node.
    std::vector<BitSet> nodes_;     // By flavor.
};

}  // namespace berth
