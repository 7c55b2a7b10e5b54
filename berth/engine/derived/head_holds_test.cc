// A job that is first and has no known start is not passed over forever.
#include "berth/engine/derived/head_holds.h"

#include <gtest/gtest.h>

#include "berth/engine/derived/derived_state.h"
#include "berth/testing/builders.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

constexpr Duration kWait = std::chrono::hours(1);

// A cluster without time limits, full of small jobs, with one wide job first in the queue and ever
// more small jobs behind it. Returns the number of runs that ended before the wide job started;
// nullopt: it never started.
std::optional<int> ends_until_wide_starts(Rng& rng, Duration hold_after) {
    ClusterSpec spec =
        testing::make_cluster(static_cast<std::uint32_t>(rng.between(3, 6)), {.gpus = 4});
    spec.scheduling.planning.hold_after = hold_after;
    Engine engine = testing::make_engine(std::move(spec));
    Time now{};
    const auto submit = [&](std::uint32_t nodes, std::int64_t gpus) {
        return testing::submit(
            engine, now,
            testing::make_job({.nodes = nodes, .gpus = gpus, .limit = Duration::max()}));
    };
    const auto settle = [&] {
        while (!engine.cycle(now, 10'000).complete) {
        }
    };
    for (int i = 0; i < 40; ++i) submit(1, 1);
    settle();
    const JobSet small = engine.state().index().pending();
    for (const JobId id : small) engine.apply(now, JobCancelled{.job = id});
    const JobId wide = submit(static_cast<std::uint32_t>(rng.between(1, 3)), 4);
    for (int ends = 0; ends < 400; ++ends) {
        now += std::chrono::minutes(10);
        submit(1, 1);
        submit(1, 1);
        settle();
        engine.state().check_invariants();
        if (engine.state().find_job(wide)->state == JobState::running) return ends;
        const auto& holding = engine.state().index().holding();
        const auto skip = rng.between(0, static_cast<std::int64_t>(holding.size()) - 1);
        testing::finish(engine, now, *std::next(holding.begin(), skip));
    }
    return std::nullopt;
}

TEST(HeadHolds, LetAWideJobStartThoughNothingHasATimeLimit) {
    testing::for_each_seed(
        30, [](Rng& rng) { EXPECT_TRUE(ends_until_wide_starts(rng, kWait).has_value()); });
}

TEST(HeadHolds, AreWhatKeepsItFromStarving) {
    int starved = 0;
    testing::for_each_seed(30, [&](Rng& rng) {
        if (!ends_until_wide_starts(rng, Duration::max())) ++starved;
    });
    EXPECT_GE(starved, testing::scaled(25));
}

TEST(HeadHolds, AreGivenBackWhenTheJobWaitsNoMore) {
    ClusterSpec spec = testing::make_cluster(1, {.gpus = 2});
    Engine engine = testing::make_engine(std::move(spec));
    Time now{};
    const auto submit = [&](std::int64_t gpus) {
        return testing::submit(engine, now,
                               testing::make_job({.gpus = gpus, .limit = Duration::max()}));
    };
    const auto settle = [&] {
        while (!engine.cycle(now, 10'000).complete) {
        }
    };
    const JobId runs = submit(1);
    submit(1);
    settle();
    const JobId wide = submit(2);
    settle();
    now += kWait;
    settle();
    ASSERT_NE(engine.derived().holds.of(wide), nullptr);
    testing::finish(engine, now, runs);
    const JobId small = submit(1);
    settle();
    EXPECT_EQ(engine.state().find_job(small)->state, JobState::pending);
    engine.apply(now, JobCancelled{.job = wide});
    settle();
    EXPECT_TRUE(engine.derived().holds.empty());
    EXPECT_EQ(engine.state().find_job(small)->state, JobState::running);
}

}  // namespace
}  // namespace berth
