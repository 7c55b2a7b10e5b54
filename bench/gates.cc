#include "bench/gates.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace berth::bench {
namespace {

std::string number(double value) {
    if (std::isnan(value)) return "not measured";
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

}  // namespace

Result<std::vector<Gate>> parse_gates(const std::string& text, const std::string& file) {
    std::vector<Gate> gates;
    std::istringstream lines(text);
    std::string line;
    for (int count = 1; std::getline(lines, line); ++count) {
        line = line.substr(0, line.find('#'));
        std::istringstream words(line);
        Gate gate;
        if (!(words >> gate.row)) continue;
        std::string rest;
        if (!(words >> gate.value >> gate.most) || words >> rest || gate.most < 0) {
            return Error{ErrorCode::invalid_argument,
                         (file + ":" + std::to_string(count) + ": '").append(line) +
                             "' should be CASE VALUE LIMIT, as 'heavy_10k full_cycle_ms 50'"};
        }
        gates.push_back(std::move(gate));
    }
    return gates;
}

Result<std::vector<Gate>> read_gates(const std::string& file) {
    std::ifstream in(file);
    if (!in) return Error{ErrorCode::not_found, "cannot read the gates in " + file};
    std::ostringstream text;
    text << in.rdbuf();
    return parse_gates(text.str(), file);
}

std::vector<std::string> missed(const std::vector<Gate>& gates, const std::vector<Measured>& rows,
                                bool partly) {
    std::vector<std::string> lines;
    for (const Gate& gate : gates) {
        const std::string name = gate.row + " " + gate.value;
        const auto row = std::ranges::find(rows, gate.row, &Measured::row);
        if (row == rows.end()) {
            if (!partly) lines.push_back(name + ": not measured, there is no such case");
            continue;
        }
        const auto value = std::ranges::find(row->values, gate.value,
                                             [](const auto& entry) { return entry.first; });
        if (value == row->values.end()) {
            lines.push_back(name + ": not measured, there is no such value");
        } else if (!(value->second <= gate.most)) {
            lines.push_back(name + ": " + number(value->second) + ", at most " + number(gate.most));
        }
    }
    return lines;
}

}  // namespace berth::bench
