#include "berth/model/flavor.h"

#include <algorithm>

namespace berth {

bool is_flavor_name(std::string_view name) {
    return !name.empty() && name.size() <= 63 && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    });
}

std::optional<std::size_t> flavor_in(const std::vector<FlavorSpec>& flavors,
                                     std::string_view tres) {
    const std::size_t colon = tres.find(':');
    if (colon == std::string_view::npos || tres.starts_with("license/")) return std::nullopt;
    const auto found = std::ranges::find(flavors, tres.substr(colon + 1), &FlavorSpec::name);
    if (found == flavors.end()) return std::nullopt;
    return static_cast<std::size_t>(found - flavors.begin());
}

}  // namespace berth
