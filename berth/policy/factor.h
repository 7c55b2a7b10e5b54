// Factor: an exact fraction.
#pragma once

#include <cstdint>

namespace berth {

// Exact, so that weight × factor loses nothing: 3000 × 1/3 is 1000. REQUIRES: whole > 0.
struct Factor {
    std::int64_t part = 0;
    std::int64_t whole = 1;
};

}  // namespace berth
