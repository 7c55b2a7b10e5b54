// How benches write a figure in JSON.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

namespace berth::bench {

// Six significant digits. JSON has no NaN: what was not measured is null.
inline std::string json_number(double value) {
    if (!std::isfinite(value)) return "null";
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

}  // namespace berth::bench
