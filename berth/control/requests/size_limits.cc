#include "berth/control/requests/size_limits.h"

namespace berth {

std::optional<std::string> too_many_components(std::size_t count) {
    if (count <= kComponentsMax) return std::nullopt;
    return "A heterogeneous job has at most " + std::to_string(kComponentsMax) +
           " components, and this one has " + std::to_string(count);
}

}  // namespace berth
