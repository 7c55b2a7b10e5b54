#include "berth/config/flavors.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/config/yaml_lines.h"
#include "berth/model/flavor_of.h"

namespace berth::config {
namespace {

class FlavorReader {
public:
    explicit FlavorReader(Draft& draft) : draft_(draft), spec_(draft.spec) {}

    void read(const std::string& name, const Line& line) {
        if (!is_flavor_name(name)) {
            return draft_.error(
                line, "flavor " + name + " should have a name of letters, digits, '-', '_', '.'");
        }
        const std::string as_type = type_of_that_name(name);
        if (!as_type.empty()) {
            return draft_.error(line, "flavor " + name + " has the name of a type of " + as_type +
                                          ": gres/" + as_type + ":" + name +
                                          " would mean both; right would be: another name");
        }
        FlavorSpec flavor{.name = name};
        for (const Pair& pair : line.pairs) read_option(flavor, line, pair);
        if (flavor.nodes.empty() && flavor.features.empty() && flavor.gpu_type.empty()) {
            draft_.error(line, "flavor " + name + " should say nodes, features or gpu_type");
        }
        spec_.flavors.push_back(std::move(flavor));
    }

    void warn_of_empty() {
        std::vector<bool> has_nodes(spec_.flavors.size());
        for (const NodeSpec& node : spec_.nodes) {
            if (const auto flavor = flavor_of(spec_, node)) has_nodes[*flavor] = true;
        }
        for (std::size_t i = 0; i < spec_.flavors.size(); ++i) {
            if (has_nodes[i]) continue;
            const auto& lines = draft_.yaml.flavors;
            const auto line = std::ranges::find(lines, spec_.flavors[i].name,
                                                [](const auto& one) { return one.first; });
            draft_.warning(line->second, "no node is of flavor " + spec_.flavors[i].name +
                                             ", or all that fit are of one before it");
        }
    }

private:
    void read_option(FlavorSpec& flavor, const Line& line, const Pair& pair) {
        const std::string& value = *pair.value;
        if (value.empty()) {
            draft_.error(line, pair, pair.key + " of flavor " + flavor.name + " has no value");
        } else if (pair.key == "nodes") {
            read_nodes(flavor, line, pair);
        } else if (pair.key == "features") {
            for (const auto one : split(value, ',')) flavor.features.emplace_back(trim(one));
        } else if (pair.key == "gpu_type") {
            flavor.gpu_type = to_lower(value);
            const auto gpus = spec_.dimensions.of_name("gpu");
            if (std::ranges::none_of(gpus, [&](DimensionId d) {
                    return spec_.dimensions.at(d).type == flavor.gpu_type;
                }))
                draft_.error(line, pair, "gpu_type: no node has GPUs of type " + value);
        } else {
            draft_.error(line, pair,
                         "there is no option " + pair.key +
                             " of a flavor; there are nodes, features, gpu_type");
        }
    }

    void read_nodes(FlavorSpec& flavor, const Line& line, const Pair& pair) {
        auto names = expand_hostlist(*pair.value);
        if (!names.ok()) return draft_.error(line, pair, "nodes: " + names.error().message);
        flavor.nodes = *std::move(names);
        for (const std::string& name : flavor.nodes) {
            if (!spec_.find_node(name) && spec_.max_node_count == 0)
                draft_.error(line, pair, "nodes: there is no node " + name);
        }
    }

    // The GRES that has a type of this name; empty: none.
    std::string type_of_that_name(const std::string& name) const {
        for (const DimensionId d : spec_.dimensions.gres()) {
            const Dimension& one = spec_.dimensions.at(d);
            if (!one.is_hidden() && one.type == name) return one.name;
        }
        return {};
    }

    Draft& draft_;
    ClusterSpec& spec_;
};

}  // namespace

void note_flavors(Draft& draft, const std::string& file, const YAML::Node& node) {
    note_named_maps(draft, file, node, {"flavor", "nodes, features, gpu_type"}, draft.yaml.flavors);
}

void read_flavors(Draft& draft) {
    const auto& flavors = draft.yaml.flavors;
    if (flavors.size() > kFlavorsMost) {
        return draft.error(flavors.front().second,
                           "there should be at most " + std::to_string(kFlavorsMost) + " flavors");
    }
    FlavorReader reader(draft);
    for (const auto& [name, line] : flavors) reader.read(name, line);
    reader.warn_of_empty();
}

}  // namespace berth::config
