// Rng: a small seeded generator, the same on every platform. For the simulator and for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "berth/base/assert.h"

namespace berth {

// SplitMix64. The standard distributions differ between libraries, so none is used.
class Rng {
public:
    explicit Rng(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    // A whole number within [low, high], both ends included.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        BERTH_ASSERT(low <= high);
        const auto choices = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
        const std::uint64_t offset = choices == 0 ? next() : next() % choices;  // 0: all of them.
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
    }

    bool chance(std::int64_t percent) { return between(1, 100) <= percent; }

    // A generator of its own for a part of the work: what that part draws, and how often, then
    // changes nothing for the rest.
    Rng fork() { return Rng(next()); }

    template <class T>
    T& pick(std::span<T> choices) {
        BERTH_ASSERT(!choices.empty());
        return choices[static_cast<std::size_t>(next() % choices.size())];
    }
    template <class T>
    const T& pick(const std::vector<T>& choices) {
        return pick(std::span<const T>(choices));
    }

private:
    std::uint64_t state_;
};

}  // namespace berth
