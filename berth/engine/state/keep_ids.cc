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
// ones. Returns the place of each later item. An item that is equal in both stays shared with the
// earlier configuration.
template <class Items>
std::vector<std::size_t> keep_places(const Items& before, Items& after) {
    std::map<std::string, std::size_t, std::less<>> place_of;
    for (std::size_t i = 0; i < before.size(); ++i) place_of.try_emplace(before[i].name, i);
    Items kept = before;
    std::vector<bool> is_named(before.size());
    std::vector<std::size_t> places;
    for (const auto& item : after) {
        const auto [at, is_new] = place_of.try_emplace(item.name, kept.size());
        const std::size_t place = at->second;
        places.push_back(place);
        if (is_new) {
            kept.push_back(item);
        } else if (kept[place] != item) {
            edit_at(kept, place) = item;
        }
        if (place < before.size()) is_named[place] = true;
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
        const bool gone = !stays(before[i]);
        if (!is_named[i] && kept[i].gone != gone) edit_at(kept, i).gone = gone;
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

bool is_renamed(const std::vector<DimensionId>& of_later) {
    for (std::size_t i = 0; i < of_later.size(); ++i) {
        if (of_later[i] != DimensionId::from_index(i)) return true;
    }
    return false;
}

void rename_nodes(PartitionSpec& partition, const std::vector<std::size_t>& place_of_later) {
    std::vector<NodeId> nodes;
    nodes.reserve(partition.nodes.size());
    for (const NodeId node : partition.nodes) {
        nodes.push_back(NodeId::from_index(place_of_later[node.index()]));
    }
    std::ranges::sort(nodes);
    if (partition.nodes != nodes) partition.nodes = std::move(nodes);
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
    if (is_renamed(dimensions->of_later)) {
        for (std::size_t i = 0; i < after.nodes.size(); ++i)
            rename_dimensions(after.nodes.edit(i), dimensions->of_later);
    }
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
