// Lines: the shape that slurm.conf, gres.conf, cgroup.conf and topology.conf share: Key=Value
// pairs, `#` comments, a trailing backslash that continues the line. Keys are compared without
// case.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/config/finding.h"

namespace berth::config {

struct ConfigText {
    std::string name;  // As findings show it: "slurm.conf".
    std::string text;
};

struct Pair {
    std::string key;
    std::optional<std::string> value;  // nullopt: a word without "=".
    std::size_t line = 0;              // Where it stands, also on a continued line.
};

// One logical line.
struct Line {
    std::string file;
    std::size_t number = 0;  // Where it begins.
    std::vector<Pair> pairs;

    // The last value of this key, as Slurm takes it; nullptr if it is not there.
    const Pair* find(std::string_view key) const;
    bool has(std::string_view key) const { return find(key) != nullptr; }
};

inline constexpr std::size_t kConfigBytesMax = 16 * 1024 * 1024;

// A value may stand in double quotes. What cannot be read is a finding, and the rest is read on.
std::vector<Line> parse_lines(const ConfigText& source, Findings& findings);

// The known word nearest to a mistyped one, if any is near enough to be meant.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string_view>& known);

}  // namespace berth::config
