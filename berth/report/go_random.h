// The numbers that a Go program draws from math/rand after rand.Seed(seed), so that orders which
// such a program made can be made again: an additive lagged Fibonacci generator (607, 273).
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace berth::report {

class GoRandom {
public:
    explicit GoRandom(std::int64_t seed);

    std::uint64_t next();                // Uint64
    std::int64_t int63();                // Int63, Int
    std::int32_t below(std::int32_t n);  // Intn, for 0 < n < 2^31

    // Perm: the numbers below n.
    std::vector<std::int32_t> permutation(std::int32_t n);

    template <class T>
    void shuffle(std::vector<T>& items) {  // Shuffle
        for (std::size_t i = items.size(); i > 1; --i) {
            std::swap(items[i - 1], items[scaled(static_cast<std::uint32_t>(i))]);
        }
    }

private:
    static constexpr std::size_t kLong = 607, kShort = 273;

    std::uint32_t scaled(std::uint32_t n);  // Below n; how Shuffle draws, and nothing else.

    std::array<std::uint64_t, kLong> state_{};
    std::size_t tap_ = 0, feed_ = kLong - kShort;
};

}  // namespace berth::report
