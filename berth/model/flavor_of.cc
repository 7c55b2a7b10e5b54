#include "berth/model/flavor_of.h"

#include <algorithm>

namespace berth {
namespace {

bool has_gpus_of(const ClusterSpec& spec, const NodeSpec& node, std::string_view type) {
    return std::ranges::any_of(spec.dimensions.of_name("gpu"), [&](DimensionId d) {
        return spec.dimensions.at(d).type == type && node.capacity[d] > 0;
    });
}

bool is_of(const ClusterSpec& spec, const FlavorSpec& flavor, const NodeSpec& node) {
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
        return std::ranges::find(names, name) != names.end();
    };
    if (!flavor.nodes.empty() && !has(flavor.nodes, node.name)) return false;
    if (!std::ranges::all_of(flavor.features,
                             [&](const std::string& one) { return has(node.features, one); }))
        return false;
    return flavor.gpu_type.empty() || has_gpus_of(spec, node, flavor.gpu_type);
}

}  // namespace

std::optional<std::size_t> flavor_of(const ClusterSpec& spec, const NodeSpec& node) {
    if (node.gone) return std::nullopt;
    for (std::size_t i = 0; i < spec.flavors.size(); ++i) {
        if (is_of(spec, spec.flavors[i], node)) return i;
    }
    return std::nullopt;
}

std::string flavor_name(const ClusterSpec& spec, const FlavorChoice& choice) {
    std::string name;
    if (choice.flavor < spec.flavors.size()) name = spec.flavors[choice.flavor].name;
    if (choice.flavor == kOtherNodes) name = "none";
    if (choice.gres_type == FlavorChoice::kNone) return name;
    const Dimension& type = spec.dimensions.at(DimensionId(choice.gres_type));
    return name + (name.empty() ? "" : ",") + type.name + ":" + type.type;
}

std::string flavor_text(const ClusterSpec& spec, const FlavorChoice& choice) {
    std::string text;
    if (choice.flavor < spec.flavors.size()) {
        text += ", flavor " + spec.flavors[choice.flavor].name;
    } else if (choice.flavor == kOtherNodes) {
        text += ", nodes of no flavor";
    }
    if (choice.gres_type == FlavorChoice::kNone) return text;
    const Dimension& type = spec.dimensions.at(DimensionId(choice.gres_type));
    return text + ", " + type.name + ":" + type.type;
}

}  // namespace berth
