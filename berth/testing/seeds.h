// for_each_seed: tries a property on many random inputs, and names the seed that breaks it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "berth/base/rng.h"

namespace berth::testing {

// BERTH_SEED=17 ctest -R <test> runs that seed alone; BERTH_SEEDS=10000 runs more than usual.
template <class Property>
void for_each_seed(int count, Property property) {
    const char* const only = std::getenv("BERTH_SEED");
    const char* const more = std::getenv("BERTH_SEEDS");
    const std::uint64_t first = only != nullptr ? std::stoull(only) : 1;
    const std::uint64_t last = only != nullptr   ? first
                               : more != nullptr ? std::stoull(more)
                                                 : static_cast<std::uint64_t>(count);
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        SCOPED_TRACE("to repeat: BERTH_SEED=" + std::to_string(seed));
        Rng rng(seed);
        property(rng);
        if (::testing::Test::HasFailure()) return;  // One seed that breaks it is enough.
    }
}

}  // namespace berth::testing
