// Quantity: a whole number of one unit. Bytes and cores cannot be added up by mistake.
#pragma once

#include <compare>
#include <cstdint>

namespace berth {

__extension__ using Wide = __int128;  // A petabyte in ppm is past 64 bits.

// Whole numbers only: equal inputs must give equal decisions on every processor, which floating
// point does not promise.
template <class Unit>
class Quantity {
public:
    constexpr Quantity() = default;  // Zero.
    constexpr explicit Quantity(std::int64_t count) : count_(count) {}

    constexpr std::int64_t count() const { return count_; }

    constexpr Quantity& operator+=(Quantity other) {
        count_ += other.count_;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity other) {
        count_ -= other.count_;
        return *this;
    }
    constexpr Quantity operator-() const { return Quantity(-count_); }

    friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
    friend constexpr Quantity operator*(Quantity a, std::int64_t n) {
        return Quantity(a.count_ * n);
    }
    friend constexpr Quantity operator*(std::int64_t n, Quantity a) { return a * n; }
    friend constexpr Quantity operator/(Quantity a, std::int64_t n) {
        return Quantity(a.count_ / n);
    }
    // How often b goes into a.
    friend constexpr std::int64_t operator/(Quantity a, Quantity b) { return a.count_ / b.count_; }

    friend constexpr Quantity min(Quantity a, Quantity b) { return b < a ? b : a; }
    friend constexpr Quantity max(Quantity a, Quantity b) { return a < b ? b : a; }

    friend constexpr auto operator<=>(Quantity, Quantity) = default;

private:
    std::int64_t count_ = 0;
};

using Millicpu = Quantity<struct MillicpuUnit>;  // 1000 are one core.
using Bytes = Quantity<struct BytesUnit>;
using MilliGpu = Quantity<struct MilliGpuUnit>;  // 1000 are one whole GPU.
using Ppm = Quantity<struct PpmUnit>;            // Parts per million: a fraction.

inline constexpr Ppm kPpmOne = Ppm(1'000'000);

constexpr Millicpu cores(std::int64_t n) { return Millicpu(n * 1000); }
constexpr MilliGpu gpus(std::int64_t n) { return MilliGpu(n * 1000); }
constexpr Bytes kib(std::int64_t n) { return Bytes(n * 1024); }
constexpr Bytes mib(std::int64_t n) { return kib(n * 1024); }
constexpr Bytes gib(std::int64_t n) { return mib(n * 1024); }

// part / whole, rounded down and held within [0, 1]. A whole of nothing gives zero.
constexpr Ppm ratio(std::int64_t part, std::int64_t whole) {
    if (whole <= 0 || part <= 0) return Ppm(0);
    if (part >= whole) return kPpmOne;
    return Ppm(static_cast<std::int64_t>(Wide{part} * kPpmOne.count() / whole));
}
template <class Unit>
constexpr Ppm ratio(Quantity<Unit> part, Quantity<Unit> whole) {
    return ratio(part.count(), whole.count());
}

// That fraction of a whole, rounded down. REQUIRES: the fraction is not negative.
constexpr std::int64_t share_of(std::int64_t whole, Ppm fraction) {
    return static_cast<std::int64_t>(Wide{whole} * fraction.count() / kPpmOne.count());
}

}  // namespace berth
