// Simulated worlds decide what they decided when tests/baseline/worlds.txt was written: 30 of them,
// with BERTH_SEEDS=300 all, with BERTH_SEED=17 that one.
#include "tests/baseline/worlds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/sim/decision_hash.h"
#include "berth/testing/seeds.h"
#include "tests/baseline/folder.h"

namespace berth::baseline {
namespace {

// With the changes that have a name.
std::map<std::uint64_t, WorldDecisions> worlds_before() {
    auto changed = from_lines(read_file(path_of("worlds_changed.txt")));
    changed.merge(from_lines(read_file(path_of("worlds.txt"))));
    return changed;
}

TEST(Baseline, WorldsDecideWhatTheyDid) {
    const auto before = worlds_before();
    ASSERT_EQ(before.size(), kWorlds);
    const auto only = testing::number_in_environment("BERTH_SEED");
    const auto seeds = testing::number_in_environment("BERTH_SEEDS").value_or(30);
    const std::uint64_t last = only.value_or(std::min(seeds, kWorlds));
    int differ = 0;
    for (std::uint64_t seed = only.value_or(1); seed <= last; ++seed) {
        const auto known = before.find(seed);
        ASSERT_NE(known, before.end()) << "no world " << seed << " in worlds.txt";
        const sim::WorldReport report = run_unbounded(seed);
        EXPECT_EQ(report.violation, "") << "world " << seed;
        const std::string found = difference(seed, known->second, decisions_of(report));
        differ += found.empty() ? 0 : 1;
        if (differ > 3) continue;  // More would say no more.
        EXPECT_EQ(found, "");
    }
    EXPECT_EQ(differ, 0) << "worlds that decide otherwise, of " << last;
}

TEST(Baseline, ChangedWorldsAreNotThoseOfThen) {
    const auto then = from_lines(read_file(path_of("worlds.txt")));
    for (const auto& [seed, now] : from_lines(read_file(path_of("worlds_changed.txt"))))
        EXPECT_NE(now.digest, then.at(seed).digest) << seed;
}

// A bounded budget moves none of them: cycles of worlds this small never come to its end.
TEST(Baseline, WorldsDecideTheSameWithABoundedBudget) {
    const auto last = testing::number_in_environment("BERTH_SEEDS").value_or(10);
    for (std::uint64_t seed = 1; seed <= std::min(last, kWorlds); ++seed) {
        EXPECT_EQ(sim::run_world(seed).decision_hash, run_unbounded(seed).decision_hash) << seed;
    }
}

// What the first test says where something differs, tried on a world that starts one job later.
TEST(Baseline, TheFirstDecisionThatDiffersIsNamed) {
    sim::DecisionHash before, now;
    WorldDecisions then, today;
    for (std::uint32_t job = 1; job <= 50; ++job) {
        const EndJob end{.job = JobId(job)};
        before.take(Time{}, end);
        now.take(job == 40 ? Time{} + Duration(1) : Time{}, end);
    }
    const auto of = [](const sim::DecisionHash& hash) {
        return WorldDecisions{std::to_string(hash.value()), hash.decisions(), hash.trail(),
                              hash.lines()};
    };
    const auto read = from_lines("# seed digest …\n" + to_line(17, of(before)));
    ASSERT_TRUE(read.contains(17));
    EXPECT_EQ(difference(17, read.at(17), of(before)), "");
    const std::string told = difference(17, read.at(17), of(now));
    EXPECT_NE(told.find("world 17, decision 40 (50 decisions before, 50 now)"), std::string::npos)
        << told;
    EXPECT_NE(told.find("now:       1 job 40 must end"), std::string::npos) << told;
}

// An engine that books half the time is found out by the file alone, whatever the oracle says.
TEST(Baseline, AnEngineThatDecidesOtherwiseIsFound) {
    const auto before = worlds_before();
    sim::WorldOptions options;
    options.bugs.engine = sim::InjectedFault::books_too_short;
    int differ = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const WorldDecisions now = decisions_of(sim::run_world(seed, options));
        differ += difference(seed, before.at(seed), now).empty() ? 0 : 1;
    }
    EXPECT_GE(differ, 3);
}

// A budget that does run out is seen to: else "unbounded" would be said of nothing.
TEST(Baseline, ASmallBudgetReachesTheCycles) {
    sim::WorldOptions options;
    options.cycle_budget = 8;
    int differ = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        differ += sim::run_world(seed, options).decision_hash != run_unbounded(seed).decision_hash;
    }
    EXPECT_GT(differ, 0);
}

}  // namespace
}  // namespace berth::baseline
