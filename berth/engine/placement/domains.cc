#include "berth/engine/placement/domains.h"

#include <algorithm>
#include <map>
#include <set>

namespace berth {

// A switch is identified by its whole path, so two trees may use the same name.
Domains::Domains(const ClusterSpec& spec) : leaf_of_(spec.nodes.size(), kNoLeaf) {
    using Path = std::vector<std::string>;
    std::map<Path, LeafId> leaves;
    std::map<Path, std::set<LeafId>> below;
    for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
        const NodeSpec& node = spec.nodes[n];
        blocks_ = blocks_ || !node.block.empty();
        const Path path = node.block.empty() ? node.switches : Path{node.block};
        if (path.empty() || node.gone) continue;
        const auto [at, is_new] = leaves.try_emplace(path, static_cast<LeafId>(leaves.size()));
        leaf_of_[n] = at->second;
        for (std::size_t length = 0; length <= path.size(); ++length) {
            below[Path(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(length))].insert(
                at->second);
        }
    }
    leaves_ = leaves.size();
    std::set<std::vector<LeafId>> distinct;
    for (const auto& [path, set] : below) distinct.insert({set.begin(), set.end()});
    subtrees_.assign(distinct.begin(), distinct.end());
    std::ranges::stable_sort(subtrees_, {}, [](const auto& one) { return one.size(); });
}

}  // namespace berth
