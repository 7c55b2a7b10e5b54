#include "berth/engine/state/run_history.h"
#include "berth/engine/state/snapshot.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(RunHistory, PredictsTheMedianOfTheSameUserAndName) {
    RunHistory history;
    EXPECT_EQ(history.predict("ann", "train", Time(0s)), std::nullopt);
    for (const Duration length : {10min, 50min, 20min}) {
        history.add("ann", "train", {Time(1h), length});
    }
    EXPECT_EQ(history.predict("ann", "train", Time(2h)), 20min);
    EXPECT_EQ(history.predict("ann", "eval", Time(2h)), std::nullopt);
    EXPECT_EQ(history.predict("ben", "train", Time(2h)), std::nullopt);
}

TEST(RunHistory, LetsOlderRunsCountLess) {
    RunHistory history;
    for (int i = 0; i < 4; ++i) history.add("ann", "train", {Time(0s), 10min});
    for (int i = 0; i < 2; ++i) history.add("ann", "train", {Time(28 * 24h), 3h});
    // Two half-lives later, four old runs weigh as much as one new one.
    EXPECT_EQ(history.predict("ann", "train", Time(28 * 24h)), 3h);
    EXPECT_EQ(history.predict("ann", "train", Time(0s)), 10min);
}

TEST(RunHistory, KeepsTheLatestRunsAndTheLatestNames) {
    RunHistory history;
    for (int i = 0; i < 100; ++i) history.add("ann", "a", {Time(0s), std::chrono::minutes(i)});
    EXPECT_EQ(history.slots()[RunHistory::slot_of("ann", "a")].runs.size(), RunSamples::kMost);
    EXPECT_EQ(history.predict("ann", "a", Time(0s)), 91min);  // Of 84 … 99.
    for (int i = 0; i < 50'000; ++i) history.add("ben", std::to_string(i), {Time(0s), 1min});
    EXPECT_EQ(history.slots().size(), RunHistory::kSlots);
}

TEST(RunHistory, ReachesJobsAsANumberOfTheirSubmission) {
    Engine engine = testing::make_engine(testing::make_cluster(1));
    const JobSpec spec = testing::make_job({.name = "train", .limit = 5h});
    const JobId first = testing::submit(engine, Time(0s), spec);
    EXPECT_EQ(engine.state().find_job(first)->predicted, std::nullopt);
    engine.cycle(Time(0s), 1000);
    testing::finish(engine, Time(40min), first);
    const JobId second = testing::submit(engine, Time(1h), spec);
    EXPECT_EQ(engine.state().find_job(second)->predicted, 40min);
    // The time limit stays as requested.
    EXPECT_EQ(engine.state().find_job(second)->time_limit, 5h);
    engine.cycle(Time(1h), 1000);
    engine.apply(Time(2h), EndJob{.job = second, .outcome = JobState::cancelled});
    testing::finish(engine, Time(2h), second);
    EXPECT_EQ(engine.state().run_history().predict("ann", "train", Time(2h)), 40min);
    // A state loaded from a snapshot predicts the same.
    const auto slices = slices_of(engine.state(), 1000);
    const auto loaded = state_from(slices);
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(loaded->run_history().predict("ann", "train", Time(2h)), 40min);
    EXPECT_EQ(loaded->hash(), engine.state().hash());
}

}  // namespace
}  // namespace berth
