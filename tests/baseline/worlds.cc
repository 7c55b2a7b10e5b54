#include "tests/baseline/worlds.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <limits>
#include <sstream>

namespace berth::baseline {

sim::WorldReport run_unbounded(std::uint64_t seed) {
    sim::WorldOptions options;
    options.cycle_budget = std::numeric_limits<std::uint32_t>::max();
    return sim::run_world(seed, options);
}

std::vector<Record> journal_of(std::uint64_t seed) {
    sim::WorldOptions options;
    options.keep_journal = true;
    return sim::run_world(seed, options).journal;
}

WorldDecisions decisions_of(const sim::WorldReport& report) {
    char digest[20];
    std::snprintf(digest, sizeof digest, "%016" PRIx64, report.decision_hash);
    return {.digest = digest,
            .count = report.decisions,
            .trail = report.decision_trail,
            .lines = report.decision_lines};
}

std::string to_line(std::uint64_t seed, const WorldDecisions& decisions) {
    return std::to_string(seed) + " " + decisions.digest + " " + std::to_string(decisions.count) +
           " " + decisions.trail + "\n";
}

std::map<std::uint64_t, WorldDecisions> from_lines(const std::string& text) {
    std::map<std::uint64_t, WorldDecisions> worlds;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream words(line);
        std::uint64_t seed = 0;
        WorldDecisions decisions;
        words >> seed >> decisions.digest >> decisions.count >> decisions.trail;
        worlds.emplace(seed, std::move(decisions));
    }
    return worlds;
}

std::string difference(std::uint64_t seed, const WorldDecisions& before,
                       const WorldDecisions& now) {
    if (before.digest == now.digest) return {};
    const auto [was, is] = std::ranges::mismatch(before.trail, now.trail);
    const auto at = static_cast<std::size_t>(is - now.trail.begin()) / 2;
    std::string text = "world " + std::to_string(seed) + ", decision " + std::to_string(at + 1) +
                       " (" + std::to_string(before.count) + " decisions before, " +
                       std::to_string(now.count) + " now) differs:\n";
    for (std::size_t i = at - std::min<std::size_t>(at, 2); i < at && i < now.lines.size(); ++i) {
        text += "    the same:  " + now.lines[i] + "\n";
    }
    text += "    now:       " + (at < now.lines.size() ? now.lines[at] : "nothing more") + "\n";
    return text + "To see what it was, compare the output of `baseline decisions " +
           std::to_string(seed) + "` with that of a build of the commit before the change.\n";
}

}  // namespace berth::baseline
