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

// BERTH_SEED=17 ctest -R <test> runs that seed alone; BERTH_SEEDS=10000 runs more than usual.
template <class Property>
void for_each_seed(int count, Property property) {
    const std::optional<std::uint64_t> only = number_in_environment("BERTH_SEED");
    const std::uint64_t first = only.value_or(1);
    const std::uint64_t last = only.value_or(
        number_in_environment("BERTH_SEEDS").value_or(static_cast<std::uint64_t>(count)));
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        SCOPED_TRACE("to repeat: BERTH_SEED=" + std::to_string(seed));
        Rng rng(seed);
        property(rng);
        if (::testing::Test::HasFailure()) return;  // One seed that breaks it is enough.
    }
}

}  // namespace berth::testing
