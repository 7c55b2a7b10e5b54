// What changes the hash of a world's decisions, and what does not.
#include "berth/sim/decision_hash.h"

#include <gtest/gtest.h>

namespace berth::sim {
namespace {

constexpr Time kNow = from_seconds(1'800'000'000);

StartJob a_start() {
    StartJob start{.job = JobId(7), .attempt = Attempt(2)};
    NodeShare share{.node = NodeId(3), .cores = BitSet(8), .devices = 0b110};
    share.cores.set(4);
    start.allocation.shares.push_back(std::move(share));
    return start;
}

std::uint64_t hash_of(const Fact& fact, Time now = kNow) {
    DecisionHash hash;
    hash.take(now, fact);
    return hash.value();
}

TEST(DecisionHash, KnowsEachPartOfAStart) {
    const std::uint64_t plain = hash_of(a_start());
    const auto changed = [&](auto change) {
        StartJob start = a_start();
        change(start);
        return hash_of(start) != plain;
    };
    EXPECT_EQ(hash_of(a_start()), plain);
    EXPECT_NE(hash_of(a_start(), kNow + Duration(1)), plain);
    EXPECT_TRUE(changed([](StartJob& s) { s.job = JobId(8); }));
    EXPECT_TRUE(changed([](StartJob& s) { s.attempt = Attempt(3); }));
    EXPECT_TRUE(changed([](StartJob& s) { s.array_task = 1; }));
    EXPECT_TRUE(changed([](StartJob& s) { s.allocation.shares[0].node = NodeId(4); }));
    EXPECT_TRUE(changed([](StartJob& s) { s.allocation.shares[0].devices = 0b101; }));
    EXPECT_TRUE(changed([](StartJob& s) { s.allocation.shares[0].cores.set(5); }));
    EXPECT_TRUE(changed([](StartJob& s) {
        s.allocation.shares[0].device_share = DeviceShare{1, {DimensionId(2), 3}};
    }));
}

TEST(DecisionHash, KnowsPlannedStartsAndEnds) {
    const PlannedStart planned{
        .start = kNow, .end = kNow + Duration(10), .amounts = {{NodeId(1), {}}}};
    const std::uint64_t plain = hash_of(PlanJob{JobId(1), planned});
    PlannedStart later = planned, longer = planned, elsewhere = planned;
    later.start += Duration(1);
    longer.end += Duration(1);
    elsewhere.amounts = {{NodeId(2), {}}};
    for (const PlannedStart& other : {later, longer, elsewhere}) {
        EXPECT_NE(hash_of(PlanJob{JobId(1), other}), plain);
    }
    EXPECT_NE(hash_of(PlanJob{JobId(1), std::nullopt}), plain);
    // As one fact about one job, or about many.
    EXPECT_EQ(hash_of(JobsPlanned{{{JobId(1), planned}}}), plain);
    EXPECT_NE(hash_of(EndJob{.job = JobId(1), .outcome = JobState::timeout}),
              hash_of(EndJob{.job = JobId(1), .outcome = JobState::cancelled}));
}

TEST(DecisionHash, SaysEachDecisionInALine) {
    DecisionHash hash;
    hash.take(Time{}, a_start());
    hash.take(Time{}, DeadlineMissed{JobId(3)});
    hash.take(Time{}, DependencyFailed{JobId(4)});
    hash.take(Time{}, JobMoved{JobId(5), PartitionId(1), Duration(60'000)});
    ASSERT_EQ(hash.lines().size(), 4U);
    EXPECT_EQ(hash.lines()[0], "0 job 7 starts, attempt 2 on [node 3, devices 1 2, cores 4]");
    EXPECT_EQ(hash.lines()[1], "0 job 3 ends: it misses its deadline");
    EXPECT_EQ(hash.lines()[2], "0 job 4 ends or waits for ever: its dependency failed");
    EXPECT_EQ(hash.lines()[3], "0 job 5 moves to partition 1, limit 60000 ms");
    EXPECT_EQ(hash.trail().size(), 8U);
}

// Additional or reworded facts in the journal that are no decisions change nothing.
TEST(DecisionHash, IsNotOfWhatTheJournalSaysBesides) {
    StartJob start = a_start();
    start.priority = 4711;
    start.allocation.shares[0].memory = gib(1);
    start.allocation.shares[0].tasks = 9;
    EXPECT_EQ(hash_of(start), hash_of(a_start()));
    const std::uint64_t nothing = DecisionHash().value();
    JobSubmitted submitted;
    submitted.job.id = JobId(1);
    submitted.job.spec.comment = "a field that is new";
    EXPECT_EQ(hash_of(submitted), nothing);
    EXPECT_EQ(hash_of(JobsEligible{{JobId(1)}}), nothing);
    EXPECT_EQ(hash_of(AttemptEnded{.job = JobId(1), .reason = "another"}), nothing);
}

}  // namespace
}  // namespace berth::sim
