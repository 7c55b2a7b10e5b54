// Sections of berth.yaml that are maps of names, each with a map of options.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/config/draft.h"

namespace YAML {
class Node;
}

namespace berth::config {

struct NamedMaps {
    std::string_view what;     // "queue"
    std::string_view options;  // "nominal, guarantee, limit": examples for who leaves them out.
};

// Notes each name, in lower case, with its options in a Line. A list is its entries with commas.
void note_named_maps(Draft& draft, const std::string& file, const YAML::Node& node,
                     const NamedMaps& maps, std::vector<std::pair<std::string, Line>>& into);

}  // namespace berth::config
