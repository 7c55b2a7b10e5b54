#include "berth/engine/plan/node_classes.h"

#include <map>
#include <tuple>

#include "berth/base/codec.h"

namespace berth {
namespace {

// With more combinations than this, classes ignore partitions and features. A search checks those
// on each node anyway.
constexpr std::size_t kClassesMax = 200;

std::vector<BitSet> partitions_of_nodes(const ClusterSpec& spec) {
    std::vector<BitSet> member(spec.nodes.size(), BitSet(spec.partitions.size()));
    for (std::size_t p = 0; p < spec.partitions.size(); ++p) {
        for (const NodeId node : spec.partitions[p].nodes) member[node.index()].set(p);
    }
    return member;
}

DimensionId key_of(const NodeSpec& node) {
    DimensionId key = kCpuDimension;
    std::int64_t most = 0;
    for (const Device& device : node.devices) {
        if (node.capacity[device.dimension] <= most) continue;
        most = node.capacity[device.dimension];
        key = device.dimension;
    }
    return key;
}

}  // namespace

NodeClasses::NodeClasses(const ClusterSpec& spec) {
    const auto member = partitions_of_nodes(spec);
    for (const bool fine : {true, false}) {
        std::map<std::string, std::uint32_t> known;
        class_of_.clear();
        members_.clear();
        key_.clear();
        for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
            const NodeSpec& node = spec.nodes[n];
            Writer alike;
            alike.write(node.capacity);
            alike.write(node.cores());
            alike.write(node.threads_per_core);
            if (fine) alike.write(node.sockets);
            if (fine) alike.write(node.tmp_disk);
            if (fine) alike.write(node.features);
            if (fine) alike.write(node.weight);
            if (fine) alike.write(member[n].words());
            const auto [at, is_new] =
                known.try_emplace(alike.take(), static_cast<std::uint32_t>(members_.size()));
            if (is_new) {
                members_.emplace_back();
                key_.push_back(key_of(node));
            }
            class_of_.push_back(at->second);
            members_[at->second].push_back(NodeId::from_index(n));
        }
        if (members_.size() <= kClassesMax) return;
    }
}

}  // namespace berth
