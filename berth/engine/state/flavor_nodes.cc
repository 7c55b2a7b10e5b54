#include "berth/engine/state/flavor_nodes.h"

#include <algorithm>

#include "berth/model/flavor_of.h"

namespace berth {

FlavorNodes::FlavorNodes(const ClusterSpec& spec) {
    if (spec.flavors.empty()) return;
    of_.assign(spec.nodes.size(), FlavorChoice::kNone);
    nodes_.assign(spec.flavors.size(), BitSet(spec.nodes.size()));
    for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
        const auto flavor = flavor_of(spec, spec.nodes[n]);
        if (!flavor) continue;
        of_[n] = static_cast<std::uint8_t>(*flavor);
        nodes_[*flavor].set(n);
    }
}

std::uint8_t FlavorNodes::of_all(const std::vector<BitSet>& nodes) const {
    for (const BitSet& some : nodes) {
        const std::size_t first = some.find_first();
        if (first == BitSet::kNone) continue;
        const std::uint8_t flavor = of(NodeId::from_index(first));
        const auto lies_in = [&](const BitSet& one) {
            return one.size() == nodes_[flavor].size() && one.is_subset_of(nodes_[flavor]);
        };
        if (flavor == FlavorChoice::kNone || !std::ranges::all_of(nodes, lies_in)) break;
        return flavor;
    }
    return FlavorChoice::kNone;
}

}  // namespace berth
