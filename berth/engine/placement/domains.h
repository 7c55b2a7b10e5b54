// Domains: the leaf switches or blocks of the nodes, and the switches above them. Built once per
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

    // For each switch, leaf switches included, the leaves below it: those with the fewest leaves
    // first, the set of all leaves last.
    const std::vector<std::vector<LeafId>>& subtrees() const { return subtrees_; }

private:
    std::size_t leaves_ = 0;
    bool blocks_ = false;
    std::vector<LeafId> leaf_of_;  // By NodeId; kNoLeaf if unknown.
    std::vector<std::vector<LeafId>> subtrees_;
};

}  // namespace berth
