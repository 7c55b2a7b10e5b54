// The decisions of simulated worlds as tests/baseline/worlds.txt keeps them: one line a world.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "berth/sim/world.h"

namespace berth::baseline {

inline constexpr std::uint64_t kWorlds = 300;  // Seeds 1 to 300.
// Whose journal is kept: it has planned starts, reservations, a fence and the site's programs.
inline constexpr std::uint64_t kJournalWorld = 51;

struct WorldDecisions {
    std::string digest;                // Of all decisions, 16 hexadecimal digits.
    std::uint64_t count = 0;           // Of decisions.
    std::string trail;                 // See sim::DecisionHash::trail().
    std::vector<std::string> lines{};  // The decisions in words; the file has none.
};

// The world of this seed, whose cycles have no bounded budget.
sim::WorldReport run_unbounded(std::uint64_t seed);
WorldDecisions decisions_of(const sim::WorldReport& report);

// All durable records of this world, as its controllers wrote them.
std::vector<Record> journal_of(std::uint64_t seed);

std::string to_line(std::uint64_t seed, const WorldDecisions& decisions);
// By seed, from such lines; those that begin with # are left out.
std::map<std::uint64_t, WorldDecisions> from_lines(const std::string& text);

// Empty: these are the same decisions. Else which one is the first to differ, and what it is now.
std::string difference(std::uint64_t seed, const WorldDecisions& before, const WorldDecisions& now);

}  // namespace berth::baseline
