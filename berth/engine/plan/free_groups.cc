#include "berth/engine/plan/free_groups.h"

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
    free_.clear();
    groups_.assign(classes.size(), {});
    for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
        const NodeId node = NodeId::from_index(n);
        class_of_.push_back(static_cast<std::uint32_t>(classes.class_of(node)));
        free_.push_back(spec.node(node).capacity);
        groups_[class_of_.back()][free_.back()].insert(node);
    }
}

void FreeGroups::change(NodeId node, const Resources& amount, bool more) {
    Groups& groups = groups_[class_of_[node.index()]];
    Resources& free = free_[node.index()];
    const auto from = groups.find(free);
    BERTH_ASSERT(from != groups.end());
    auto moved = from->second.extract(node);
    BERTH_ASSERT(!moved.empty());
    if (from->second.empty()) groups.erase(from);
    if (more) {
        free += amount;
    } else {
        free -= amount;
    }
    groups[free].insert(std::move(moved));
}

}  // namespace berth
