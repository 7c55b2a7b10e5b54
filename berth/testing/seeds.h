// for_each_seed: tries a property on many random inputs, and names the seed that breaks it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "berth/base/rng.h"

namespace berth::testing {

inline std::optional<std::uint64_t> number_in_environment(const char* name) {
    const char* const text = std::getenv(name);
    if (text == nullptr) return std::nullopt;
    return std::stoull(text);
}

// How many seeds a property that usually has so many is tried on: a part of them where programs are
// slow (BERTH_SEEDS_PERCENT=10, of the preset asan), or another number (BERTH_SEEDS=10000).
inline std::uint64_t seeds_of(int count) {
    const std::uint64_t percent = number_in_environment("BERTH_SEEDS_PERCENT").value_or(100);
    const std::uint64_t usual = static_cast<std::uint64_t>(count) * percent / 100;
    return number_in_environment("BERTH_SEEDS").value_or(usual == 0 ? 1 : usual);
}

// What the usual number of seeds comes to at least, for as many as there are.
template <class Number>
Number scaled(Number usual) {
    const std::uint64_t percent = number_in_environment("BERTH_SEEDS_PERCENT").value_or(100);
    return static_cast<Number>(static_cast<std::uint64_t>(usual) * percent / 100);
}

// BERTH_SEED=17 ctest -R <test> runs that seed alone.
template <class Property>
void for_each_seed(int count, Property property) {
    const std::optional<std::uint64_t> only = number_in_environment("BERTH_SEED");
    const std::uint64_t first = only.value_or(1);
    const std::uint64_t last = only.value_or(seeds_of(count));
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        SCOPED_TRACE("to repeat: BERTH_SEED=" + std::to_string(seed));
        Rng rng(seed);
        property(rng);
        if (::testing::Test::HasFailure()) return;  // One seed that breaks it is enough.
    }
}

}  // namespace berth::testing
