// TresVector: amounts of every TRES of a cluster at once, and their names.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/store/spans.h"

namespace berth {

// CPUs, MiB of memory, nodes, billing, and then the amount of each dimension; that of a GPU's
// memory in MiB.
struct TresVector {
    static constexpr std::size_t kCpu = 0, kMemory = 1, kNode = 2, kBilling = 3, kDimensions = 4;
    std::array<std::int64_t, kDimensions + kDimensionsMax> amounts{};

    TresVector& operator+=(const TresVector& other);
    TresVector& operator-=(const TresVector& other);
    // Saturates: no sum of years may wrap around.
    TresVector& add_times(const TresVector& rate, std::int64_t seconds);

    // Without billing, and without nodes.
    static TresVector of(const ClusterSpec& spec, const Resources& amount);
};

// The smaller of both, of each.
TresVector least(const TresVector& a, const TresVector& b);
// Saturates, as the sums of a vector do.
std::int64_t sum_of(std::int64_t a, std::int64_t b);

// A TRES by name, and the parts of a vector that it is the sum of.
struct NamedTres {
    std::string name;
    std::vector<std::size_t> parts;

    std::int64_t in(const TresVector& vector) const;
};

// "cpu", "mem", "node", "billing", and each GRES and each of its types; with AccountingStorageTRES
// those GRES that it names.
std::vector<NamedTres> named_tres(const ClusterSpec& spec);

}  // namespace berth
