#include "berth/cli/suggestion.h"

#include "berth/base/nearest.h"

namespace berth::cli {

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
    const auto name = nearest(word, names);
    return name ? "; did you mean '" + *name + "'?" : "";
}

}  // namespace berth::cli
