#include "berth/control/agents/dynamic_nodes.h"

#include <algorithm>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::size_t kNodesEver = 1 << 16;  // Deleted nodes keep their number.

bool is_there(const NodeSpec& node) { return !node.gone; }

// Whether GresTypes in slurm.conf ("gpu,fpga") names it.
bool is_gres_type(const ClusterSpec& spec, const std::string& name) {
    for (const auto& [key, value] : spec.settings) {
        if (!iequals(key, "GresTypes")) continue;
        const auto types = split(value, ',');
        return std::ranges::any_of(types, [&](std::string_view one) { return trim(one) == name; });
    }
    return false;
}

}  // namespace

std::string object_to_nodes(const ClusterSpec& spec, std::size_t more, const NewNode& node) {
    const auto there = static_cast<std::size_t>(std::ranges::count_if(spec.nodes, is_there));
    if (more > 0 && there + more > spec.max_node_count) {
        return "MaxNodeCount=" + std::to_string(spec.max_node_count) + " allows no " +
               std::to_string(there + more) + " nodes: raise it in slurm.conf";
    }
    if (spec.nodes.size() + more > kNodesEver) {
        return "there have been " + std::to_string(spec.nodes.size()) +
               " nodes: use the name of one that was deleted";
    }
    for (const NewGres& gres : node.gres) {
        if (!is_gres_type(spec, gres.name))
            return "Gres=" + gres.name + ": add " + gres.name + " to GresTypes in slurm.conf";
    }
    return {};
}

Result<std::optional<NodeDescribed>> joined(const ClusterState& state, const std::string& name,
                                            const JoiningNode& joining) {
    const ClusterSpec& spec = state.spec();
    const auto id = spec.find_node(name);
    const bool is_new = !id || spec.node(*id).gone;
    const std::string no = object_to_nodes(spec, is_new ? 1 : 0, joining.node);
    if (!no.empty()) return Error{ErrorCode::failed_precondition, no};
    NodeDescribed fact{.node = {}, .dimensions = spec.dimensions};
    if (is_new || spec.node(*id).origin == NodeOrigin::joined) {
        BERTH_TRY(fact.node, make_node(name, joining, fact.dimensions));
    } else {  // As the administrator described it; only the device files come from the node.
        fact.node = spec.node(*id);
        BERTH_CHECK(find_devices(fact.node, fact.dimensions, joining));
    }
    if (is_new) return std::optional(std::move(fact));
    const NodeSpec& before = spec.node(*id);
    // An administrator may have changed these.
    fact.node.weight = before.weight;
    fact.node.features = before.features;
    fact.node.comment = before.comment;
    fact.node.extra = before.extra;
    // While jobs hold resources of the node, its description stays.
    if (fact.node == before || !state.index().on_node(*id).empty())
        return std::optional<NodeDescribed>();
    return std::optional(std::move(fact));
}

}  // namespace berth
