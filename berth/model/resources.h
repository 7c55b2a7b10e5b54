// Resources: how much of each kind. A request, a node's capacity and a free amount are all this.
//
// A dense vector of int64 over the interned dimensions of one cluster (see Dimensions): no maps, no
// floating point. Dimension 0 is CPUs in thousandths, dimension 1 memory in bytes; the rest are
// GRES (one dimension for each name and type, counted in whole devices) in the order the
// configuration names them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/quantity.h"
#include "berth/model/ids.h"

namespace berth {

inline constexpr std::size_t kDimensionsMax = 32;
inline constexpr DimensionId kCpuDimension{0};
inline constexpr DimensionId kMemoryDimension{1};

// A set of dimensions, one bit each.
using DimensionSet = std::uint32_t;
static_assert(kDimensionsMax <= 32);
constexpr DimensionSet dimension_bit(DimensionId d) { return DimensionSet{1} << d.value(); }

class Resources {
public:
    constexpr std::int64_t operator[](DimensionId d) const { return amounts_[d.value()]; }
    constexpr std::int64_t& operator[](DimensionId d) { return amounts_[d.value()]; }

    constexpr Millicpu cpu() const { return Millicpu(amounts_[0]); }
    constexpr Bytes memory() const { return Bytes(amounts_[1]); }
    constexpr void set_cpu(Millicpu cpu) { amounts_[0] = cpu.count(); }
    constexpr void set_memory(Bytes memory) { amounts_[1] = memory.count(); }

    constexpr Resources& operator+=(const Resources& other) {
        for (std::size_t i = 0; i < kDimensionsMax; ++i) amounts_[i] += other.amounts_[i];
        return *this;
    }
    constexpr Resources& operator-=(const Resources& other) {
        for (std::size_t i = 0; i < kDimensionsMax; ++i) amounts_[i] -= other.amounts_[i];
        return *this;
    }
    friend constexpr Resources operator+(Resources a, const Resources& b) { return a += b; }
    friend constexpr Resources operator-(Resources a, const Resources& b) { return a -= b; }
    friend constexpr Resources operator*(Resources a, std::int64_t n) {
        for (std::int64_t& amount : a.amounts_) amount *= n;
        return a;
    }
    // True if there is room for `need` within `room`, in every dimension.
    friend constexpr bool fits(const Resources& need, const Resources& room) {
        for (std::size_t i = 0; i < kDimensionsMax; ++i) {
            if (need.amounts_[i] > room.amounts_[i]) return false;
        }
        return true;
    }
    constexpr bool is_zero() const { return *this == Resources{}; }

    BERTH_FIELDS(Resources, amounts_)

private:
    std::array<std::int64_t, kDimensionsMax> amounts_{};
};

// The kinds of GRES of one cluster, interned: "gpu" of type "a100" is one dimension, "fpga"
// another.
struct Dimension {
    std::string name;  // "cpu", "mem", "gpu", "fpga" …
    std::string type;  // "a100", or empty where the configuration gives none.

    // CPUs that jobs of one partition hold, whose name is the type: see partition_cpus.h. No GRES
    // has such a name.
    static constexpr std::string_view kPartitionCpus = "%cpus";
    bool is_hidden() const { return name == kPartitionCpus; }

    BERTH_FIELDS(Dimension, name, type)
};

// Ways to have a part of a GPU: "mps" in hundredths or as configured, "shard" by count, "gpumem" in
// bytes of its memory.
bool is_share_name(std::string_view gres_name);

class Dimensions {
public:
    Dimensions();  // cpu and mem.

    // The dimension of this name and type, added if it is new; nullopt where kDimensionsMax is
    // reached.
    std::optional<DimensionId> intern(std::string_view name, std::string_view type);
    std::optional<DimensionId> find(std::string_view name, std::string_view type) const;

    // All GRES, in their order.
    std::vector<DimensionId> gres() const;
    // All dimensions of a GRES name, whatever their type: what "--gres=gpu:2" may be served from.
    std::vector<DimensionId> of_name(std::string_view name) const;
    bool knows_name(std::string_view name) const { return !of_name(name).empty(); }

    const Dimension& at(DimensionId d) const { return all_[d.value()]; }
    std::size_t size() const { return all_.size(); }

    BERTH_FIELDS(Dimensions, all_)

private:
    std::vector<Dimension> all_;
};

}  // namespace berth
