#include "berth/engine/plan/free_groups.h"

#include <algorithm>

#include "berth/base/assert.h"

namespace berth {

bool FreeGroups::Less::operator()(const Resources& a, const Resources& b) const {
    for (std::uint32_t d = 0; d < kDimensionsMax; ++d) {
        const DimensionId dimension(d);
        if (a[dimension] != b[dimension]) return a[dimension] < b[dimension];
    }
    return false;
}

void FreeGroups::rebuild(const ClusterSpec& spec, const NodeClasses& classes) {
    class_of_.clear();
    group_of_.clear();
    groups_.assign(classes.size(), {});
    for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
        const NodeId node = NodeId::from_index(n);
        class_of_.push_back(static_cast<std::uint32_t>(classes.class_of(node)));
        Groups& groups = groups_[class_of_.back()];
        group_of_.push_back(groups.try_emplace(spec.node(node).capacity).first);
        group_of_.back()->second.push_back(node);
    }
}

void FreeGroups::change(NodeId node, const Resources& amount, bool more) {
    Groups& groups = groups_[class_of_[node.index()]];
    const auto from = group_of_[node.index()];
    const auto to = groups.try_emplace(more ? from->first + amount : from->first - amount).first;
    if (to == from) return;
    Nodes& left = from->second;
    const auto at = std::ranges::lower_bound(left, node);
    BERTH_ASSERT(at != left.end() && *at == node);
    left.erase(at);
    if (left.empty()) groups.erase(from);
    to->second.insert(std::ranges::lower_bound(to->second, node), node);
    group_of_[node.index()] = to;
}

}  // namespace berth
