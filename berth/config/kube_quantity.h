// Quantities as Kubernetes writes them: "500m", "2Ti", "1e3", ".5", "1E".
#pragma once

#include <cstdint>
#include <string_view>

#include "berth/base/result.h"

namespace berth::config {

// whole + nano / 10⁹; never negative.
struct KubeQuantity {
    std::int64_t whole = 0;
    std::int64_t nano = 0;

    friend bool operator==(const KubeQuantity&, const KubeQuantity&) = default;
};

// Exact; a fraction finer than 10⁻⁹ is rounded up, as Kubernetes does. The error says what would be
// right.
Result<KubeQuantity> parse_kube_quantity(std::string_view text);

}  // namespace berth::config
