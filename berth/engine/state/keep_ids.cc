#include "berth/engine/state/keep_ids.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "berth/base/assert.h"
#include "berth/model/cluster_edits.h"

namespace berth {
namespace {

// A dynamic node is in no file, so its absence there does not remove it.
bool stays(const NodeSpec& node) { return node.is_dynamic() && !node.gone; }
bool stays(const auto&) { return false; }

// Puts the later items in the places of the earlier ones of the same name, and appends the new
// ones. Returns the place of each later item.
template <class Item>
std::vector<std::size_t> keep_places(const std::vector<Item>& before, std::vector<Item>& after) {
    std::map<std::string, std::size_t, std::less<>> place_of;
    std::vector<Item> kept = before;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        kept[i].gone = !stays(kept[i]);
        place_of.try_emplace(kept[i].name, i);
    }
    std::vector<std::size_t> places;
    for (Item& item : after) {
        const auto [at, is_new] = place_of.try_emplace(item.name, kept.size());
        places.push_back(at->second);
        if (is_new) {
            kept.push_back(std::move(item));
        } else {
            kept[at->second] = std::move(item);
        }
    }
    after = std::move(kept);
    return places;
}

struct KeptDimensions {
    Dimensions all;
    std::vector<DimensionId> of_later;  // New id of each later dimension.
};

std::optional<KeptDimensions> keep_dimensions(const Dimensions& before, const Dimensions& after) {
    KeptDimensions kept{.all = before, .of_later = {}};
    for (std::size_t i = 0; i < after.size(); ++i) {
        const Dimension& dimension = after.at(DimensionId::from_index(i));
        const auto id = kept.all.intern(dimension.name, dimension.type);
        if (!id) return std::nullopt;
        kept.of_later.push_back(*id);
    }
    return kept;
}

void rename_dimensions(NodeSpec& node, const std::vector<DimensionId>& of_later) {
    Resources capacity;
    for (std::size_t i = 0; i < of_later.size(); ++i) {
        capacity[of_later[i]] = node.capacity[DimensionId::from_index(i)];
    }
    node.capacity = capacity;
    for (Device& device : node.devices) device.dimension = of_later[device.dimension.index()];
}

void rename_nodes(PartitionSpec& partition, const std::vector<std::size_t>& place_of_later) {
    for (NodeId& node : partition.nodes) node = NodeId::from_index(place_of_later[node.index()]);
    std::sort(partition.nodes.begin(), partition.nodes.end());
}

}  // namespace

Status can_keep_ids(const ClusterSpec& before, const ClusterSpec& after) {
    if (keep_dimensions(before.dimensions, after.dimensions)) return Done{};
    return Error{ErrorCode::resource_exhausted,
                 "the kinds of GRES (names and types) of this and all earlier configurations come "
                 "to more than " +
                     std::to_string(kDimensionsMax - 2) +
                     ": keep the names and types that were used before"};
}

ClusterSpec keep_ids(const ClusterSpec& before, ClusterSpec after) {
    const auto dimensions = keep_dimensions(before.dimensions, after.dimensions);
    BERTH_ASSERT(dimensions.has_value());  // can_keep_ids() has checked this.
    for (NodeSpec& node : after.nodes) rename_dimensions(node, dimensions->of_later);
    after.dimensions = dimensions->all;
    const std::vector<std::size_t> places = keep_places(before.nodes, after.nodes);
    for (PartitionSpec& partition : after.partitions) rename_nodes(partition, places);
    keep_places(before.partitions, after.partitions);
    for (PartitionSpec& partition : after.partitions) {
        if (partition.gone) close_partition(partition);
    }
    keep_places(before.qos, after.qos);
    return after;
}

}  // namespace berth
