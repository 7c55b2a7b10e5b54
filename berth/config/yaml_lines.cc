#include "berth/config/yaml_lines.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "berth/base/text.h"

namespace berth::config {
namespace {

std::string value_of(const YAML::Node& node) {
    if (node.IsScalar()) return node.Scalar();
    std::string text;
    for (const auto& entry : node) {
        if (!node.IsSequence() || !entry.IsScalar()) continue;
        text += (text.empty() ? "" : ",") + entry.Scalar();
    }
    return text;
}

std::size_t line_number(const YAML::Node& node) {
    return static_cast<std::size_t>(std::max(node.Mark().line, 0)) + 1;
}

}  // namespace

void note_named_maps(Draft& draft, const std::string& file, const YAML::Node& node,
                     const NamedMaps& maps, std::vector<std::pair<std::string, Line>>& into) {
    const std::string what(maps.what), options(maps.options);
    const Line whole{.file = file, .number = line_number(node), .pairs = {}};
    if (!node.IsMap()) {
        return draft.error(whole, "should be a map of names, each a map with " + options);
    }
    for (const auto& entry : node) {
        Line line{.file = file, .number = line_number(entry.first), .pairs = {}};
        const std::string name = to_lower(entry.first.as<std::string>());
        if (!entry.second.IsMap()) {
            draft.error(line, what + " " + name + " should be a map with " + options);
            continue;
        }
        for (const auto& option : entry.second) {
            line.pairs.push_back({.key = option.first.as<std::string>(),
                                  .value = value_of(option.second),
                                  .line = line_number(option.first)});
        }
        if (std::ranges::any_of(into, [&](const auto& one) { return one.first == name; })) {
            draft.error(line, what + " " + name + " is described twice");
        } else {
            into.emplace_back(name, std::move(line));
        }
    }
}

}  // namespace berth::config
