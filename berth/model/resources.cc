#include "berth/model/resources.h"

namespace berth {

bool is_share_name(std::string_view gres_name) {
    return gres_name == "mps" || gres_name == "shard" || gres_name == "gpumem";
}

Dimensions::Dimensions() : all_{{"cpu", ""}, {"mem", ""}} {}

std::optional<DimensionId> Dimensions::intern(std::string_view name, std::string_view type) {
    if (const auto known = find(name, type)) return known;
    if (all_.size() == kDimensionsMax) return std::nullopt;
    all_.push_back({std::string(name), std::string(type)});
    return DimensionId(static_cast<std::uint32_t>(all_.size() - 1));
}

std::optional<DimensionId> Dimensions::find(std::string_view name, std::string_view type) const {
    for (std::size_t i = 0; i < all_.size(); ++i) {
        if (all_[i].name == name && all_[i].type == type)
            return DimensionId(static_cast<std::uint32_t>(i));
    }
    return std::nullopt;
}

std::vector<DimensionId> Dimensions::gres() const {
    std::vector<DimensionId> all;
    for (std::uint32_t d = kMemoryDimension.value() + 1; d < all_.size(); ++d) {
        if (!all_[d].is_hidden()) all.emplace_back(d);
    }
    return all;
}

std::vector<DimensionId> Dimensions::of_name(std::string_view name) const {
    std::vector<DimensionId> found;
    for (std::size_t i = 0; i < all_.size(); ++i) {
        if (all_[i].name == name) found.push_back(DimensionId(static_cast<std::uint32_t>(i)));
    }
    return found;
}

}  // namespace berth
