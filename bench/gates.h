// Gates: a file of limits on what a bench measures, and which of them a run has missed.
//
//   # case        value          at most
//   heavy_10k     full_cycle_ms  50
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "berth/base/result.h"

namespace berth::bench {

struct Gate {
    std::string row, value;  // Of which row, which of its values.
    double most = 0;
};

// What was measured, as gates call it.
struct Measured {
    std::string row;
    std::vector<std::pair<std::string, double>> values;
};

// An error names the file, the line and what it should be.
Result<std::vector<Gate>> parse_gates(const std::string& text, const std::string& file);
Result<std::vector<Gate>> read_gates(const std::string& file);

// A line for each gate that is missed, "heavy_10k full_cycle_ms: 66.1, at most 50"; and for each
// whose value is NaN or missing. A gate on a missing row is missed too, unless `partly` says that
// not all rows were to be measured.
std::vector<std::string> missed(const std::vector<Gate>& gates, const std::vector<Measured>& rows,
                                bool partly);

}  // namespace berth::bench
