#include <gtest/gtest.h>

#include "berth/engine/cycle/engine.h"
#include "berth/testing/builders.h"

namespace berth {
namespace {

constexpr std::uint32_t kSmallBudget = 1000;

TEST(CycleWork, CountsLooksStartsAndWhoPassedAnEarlierJob) {
    Engine engine = testing::make_engine(testing::make_cluster(2));
    testing::submit(engine, Time{}, testing::make_job({.gpus = 8}));
    testing::submit(engine, Time{}, testing::make_job({.nodes = 2, .gpus = 8}));
    testing::submit(engine, Time{}, testing::make_job({.gpus = 8}));
    const CycleWork first = engine.cycle(Time{}, kSmallBudget).work;
    EXPECT_TRUE(first.ran);
    EXPECT_EQ(first.queue, 3U);
    EXPECT_EQ(first.starts, 2U);
    EXPECT_EQ(first.passed, 1U);  // The third one, before the second.
    EXPECT_EQ(first.planned, 1U);
    EXPECT_GE(first.depth, 3U);
    EXPECT_GE(first.tries, 3U);
    EXPECT_EQ(first.end, CycleWork::End::of_queue);
    EXPECT_FALSE(engine.cycle(Time{}, kSmallBudget).work.ran);
}

TEST(CycleWork, TellsWhatItsEndWas) {
    ClusterSpec spec = testing::make_cluster(1);
    spec.scheduling.planning.starts_max = 2;
    Engine engine = testing::make_engine(std::move(spec));
    for (int i = 0; i < 5; ++i) testing::submit(engine, Time{}, testing::make_job({.gpus = 1}));
    EXPECT_EQ(engine.cycle(Time{}, 1).work.end, CycleWork::End::out_of_budget);
    EXPECT_EQ(engine.cycle(Time{}, kSmallBudget).work.end, CycleWork::End::most_starts);
    EXPECT_FALSE(engine.cycle(Time{}, kSmallBudget).work.ran);  // The pause.
}

}  // namespace
}  // namespace berth
