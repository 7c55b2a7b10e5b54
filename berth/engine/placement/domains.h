// Domains: the leaf switches or blocks that nodes are in, and what joins them. Made once for each
// configuration.
#pragma once

#include <cstdint>
#include <vector>

#include "berth/model/cluster_spec.h"

namespace berth {

using LeafId = std::uint32_t;
inline constexpr LeafId kNoLeaf = UINT32_MAX;

class Domains {
public:
    Domains() = default;
    explicit Domains(const ClusterSpec& spec);

    bool empty() const { return leaves_ == 0; }
    bool are_blocks() const { return blocks_; }
    std::size_t leaves() const { return leaves_; }
    LeafId leaf_of(NodeId node) const { return leaf_of_[node.index()]; }

    // All that is below one switch, leaves too: the ones with the fewest leaves first, and last
    // what holds every leaf.
    const std::vector<std::vector<LeafId>>& subtrees() const { return subtrees_; }

private:
    std::size_t leaves_ = 0;
    bool blocks_ = false;
    std::vector<LeafId> leaf_of_;  // By node; kNoLeaf where nothing is said of it.
    std::vector<std::vector<LeafId>> subtrees_;
};

}  // namespace berth
