// Jobs that name several partitions: where they start, and that no other rule suffers from it.
#include "berth/engine/cycle/other_partitions.h"

#include <gtest/gtest.h>

#include "berth/engine/state/job_queries.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

using std::chrono::hours, std::chrono::minutes;

// Partitions "a" of node1 and "b" of node2, with four GPUs each.
ClusterSpec two_partitions() {
    ClusterSpec spec = testing::make_cluster(2, {.sockets = 1, .cores_per_socket = 8, .gpus = 4});
    spec.partitions = {{.name = "a", .nodes = {NodeId(0)}, .is_default = true},
                       {.name = "b", .nodes = {NodeId(1)}}};
    return spec;
}

JobSpec four_gpus(const std::string& partitions, Duration limit = hours(1)) {
    JobSpec spec = testing::make_job({.gpus = 4, .limit = limit});
    spec.partition = partitions;
    return spec;
}

std::string partition_of(const Engine& engine, JobId job) {
    const ClusterSpec& spec = engine.state().spec();
    return spec.partition(engine.state().find_job(job)->partition).name;
}

bool runs_in(const Engine& engine, JobId job, const std::string& partition) {
    return engine.state().find_job(job)->state == JobState::running &&
           partition_of(engine, job) == partition;
}

TEST(OtherPartitions, AJobStartsInTheOneThatIsFree) {
    for (const bool backfill : {true, false}) {
        ClusterSpec spec = two_partitions();
        spec.scheduling.backfill = backfill;
        Engine engine = testing::make_engine(spec, kNow);
        const JobId first = testing::submit(engine, kNow, four_gpus("a"));
        const JobId second = testing::submit(engine, kNow, four_gpus("a,b"));
        const JobId third = testing::submit(engine, kNow, four_gpus("a,b"));
        for (int i = 0; i < 5; ++i) engine.cycle(kNow, kBudget);
        EXPECT_TRUE(runs_in(engine, first, "a")) << backfill;
        EXPECT_TRUE(runs_in(engine, second, "b")) << backfill;
        const Job& waiting = *engine.state().find_job(third);
        EXPECT_EQ(waiting.state, JobState::pending) << backfill;
        EXPECT_EQ(partition_text(spec, waiting), "a,b");
        testing::finish(engine, at(1'000'060), second);
        for (int i = 0; i < 5; ++i) engine.cycle(at(1'000'060), kBudget);
        EXPECT_TRUE(runs_in(engine, third, "b")) << backfill;
        EXPECT_EQ(partition_text(spec, *engine.state().find_job(third)), "b");
    }
}

TEST(OtherPartitions, ThePlannedStartIsInTheOneThatIsFreeFirst) {
    Engine engine = testing::make_engine(two_partitions(), kNow);
    testing::submit(engine, kNow, four_gpus("a", hours(3)));
    testing::submit(engine, kNow, four_gpus("b", hours(2)));
    const JobId waiting = testing::submit(engine, kNow, four_gpus("a,b"));
    engine.cycle(kNow, kBudget);
    EXPECT_EQ(partition_of(engine, waiting), "b");
    const PlannedStart* planned = engine.state().schedule().planned(waiting);
    ASSERT_NE(planned, nullptr);
    EXPECT_GE(planned->start, kNow + hours(2));
    EXPECT_LT(planned->start, kNow + hours(3));
}

TEST(OtherPartitions, EachTaskOfAnArrayStartsWhereThereIsRoom) {
    Engine engine = testing::make_engine(two_partitions(), kNow);
    JobSpec spec = four_gpus("b,a");
    spec.array = ArraySpec{{0, 1, 2}, 0};
    testing::submit(engine, kNow, spec);
    for (int i = 0; i < 3; ++i) engine.cycle(kNow, kBudget);
    std::vector<std::string> partitions;
    for (const JobId id : engine.state().index().holding())
        partitions.push_back(partition_of(engine, id));
    EXPECT_EQ(partitions, (std::vector<std::string>{"b", "a"}));
}

TEST(OtherPartitions, ALimitThatTheJobDoesNotNameIsThatOfThePartition) {
    ClusterSpec cluster = two_partitions();
    cluster.partitions[0].default_time = hours(1);
    cluster.partitions[1].default_time = hours(2);
    Engine engine = testing::make_engine(cluster, kNow);
    testing::submit(engine, kNow, four_gpus("a"));
    JobSpec spec = four_gpus("a,b");
    spec.request.edit().time_limit.reset();
    const JobId id = testing::submit(engine, kNow, spec);
    engine.cycle(kNow, kBudget);
    EXPECT_TRUE(runs_in(engine, id, "b"));
    EXPECT_EQ(engine.state().find_job(id)->time_limit, hours(2));
}

TEST(OtherPartitions, AJobLeavesAPartitionWhereItCannotRun) {
    const std::vector<void (*)(PartitionSpec&)> changes = {
        [](PartitionSpec& a) { a.state = PartitionState::down; },
        [](PartitionSpec& a) { a.max_time = minutes(10); },
        [](PartitionSpec& a) { a.min_nodes = 2; },
    };
    for (const auto& change : changes) {
        ClusterSpec spec = two_partitions();
        change(spec.partitions[0]);
        Engine engine = testing::make_engine(spec, kNow);
        const JobId id = testing::submit(engine, kNow, four_gpus("a,b"));
        engine.cycle(kNow, kBudget);
        EXPECT_TRUE(runs_in(engine, id, "b"));
    }
    Engine engine = testing::make_engine(two_partitions(), kNow);
    engine.apply(kNow, NodeUpdated{.node = NodeId(0), .drained = true, .reason = "test"});
    const JobId id = testing::submit(engine, kNow, four_gpus("a,b"));
    engine.cycle(kNow, kBudget);
    EXPECT_TRUE(runs_in(engine, id, "b"));
}

TEST(OtherPartitions, TheMoveCanBeTakenBack) {
    Engine engine = testing::make_engine(two_partitions(), kNow);
    const JobId id = testing::submit(engine, kNow, four_gpus("a,b"));
    ClusterState& state = engine.mutable_state();
    const std::uint64_t before = state.hash();
    const ClusterState::Mark mark = state.checkpoint();
    state.apply(kNow, JobMoved{id, PartitionId(1), hours(7)});
    EXPECT_EQ(state.find_job(id)->partition, PartitionId(1));
    EXPECT_EQ(state.find_job(id)->time_limit, hours(7));
    EXPECT_NE(state.hash(), before);
    state.rollback(mark);
    EXPECT_EQ(state.hash(), before);
}

TEST(OtherPartitions, WithoutBackfillAJobStartsElsewhereOnceNobodyIsAheadOfItThere) {
    ClusterSpec spec = two_partitions();
    spec.scheduling.backfill = false;
    Engine engine = testing::make_engine(spec, kNow);
    const auto two_gpus = [&](const char* partitions) {
        JobSpec job = testing::make_job({.gpus = 2});
        job.partition = partitions;
        return testing::submit(engine, kNow, job);
    };
    testing::submit(engine, kNow, four_gpus("a", hours(5)));
    const JobId in_b = testing::submit(engine, kNow, four_gpus("b", hours(3)));
    const JobId waits = two_gpus("a,b");
    for (int i = 0; i < 3; ++i) engine.cycle(kNow, kBudget);
    const Time later = kNow + minutes(10);
    testing::finish(engine, later, in_b);
    const JobId first = two_gpus("b");
    const JobId large = testing::submit(engine, later, four_gpus("b"));
    engine.apply(later, JobUpdated{.job = first, .priority = 4'294'960'000U});
    engine.apply(later, JobUpdated{.job = large, .priority = 4'294'950'000U});
    for (int i = 0; i < 3; ++i) engine.cycle(later, kBudget);
    EXPECT_TRUE(runs_in(engine, first, "b"));
    EXPECT_EQ(engine.state().find_job(waits)->state, JobState::pending) << "it passes nobody";
    engine.apply(later, JobCancelled{.job = large});
    for (int i = 0; i < 3; ++i) engine.cycle(later, kBudget);
    EXPECT_TRUE(runs_in(engine, waits, "b"));
}

// Half of the room is on a node of its own planned start, until which the node is idle.
TEST(OtherPartitions, AGangFindsTheRoomThatItsOwnPlannedStartHides) {
    ClusterSpec spec = testing::make_cluster(3, {.sockets = 1, .cores_per_socket = 8, .gpus = 4});
    spec.scheduling.kill_wait = Duration{};
    spec.partitions = {{.name = "a", .nodes = {NodeId(0), NodeId(2)}, .is_default = true},
                       {.name = "b", .nodes = {NodeId(0), NodeId(1)}},
                       {.name = "first", .nodes = {NodeId(0)}},
                       {.name = "last", .nodes = {NodeId(2)}}};
    Engine engine = testing::make_engine(spec, kNow);
    const JobId first = testing::submit(engine, kNow, four_gpus("first", minutes(150)));
    testing::submit(engine, kNow, four_gpus("last", hours(2)));
    JobSpec gang = testing::make_job({.nodes = 2, .gpus = 4, .limit = hours(3)});
    gang.partition = "a,b";
    const JobId id = testing::submit(engine, kNow, gang);
    engine.cycle(kNow, kBudget);
    ASSERT_NE(engine.state().schedule().planned(id), nullptr);
    EXPECT_EQ(engine.state().schedule().planned(id)->start, kNow + minutes(150));
    EXPECT_EQ(partition_of(engine, id), "a");
    const Time later = kNow + minutes(30);
    testing::finish(engine, later, first);
    engine.cycle(later, kBudget);
    EXPECT_TRUE(runs_in(engine, id, "b"));
}

TEST(OtherPartitions, AJobStartsWithThePriorityOfItsPartition) {
    ClusterSpec spec = two_partitions();
    spec.scheduling.rules = {{.kind = "priority", .name = "partition", .weight = 1000}};
    spec.partitions[1].priority_job_factor = 10;
    Engine engine = testing::make_engine(spec, kNow);
    const JobId first = testing::submit(engine, kNow, four_gpus("a"));
    const JobId second = testing::submit(engine, kNow, four_gpus("a,b"));
    engine.cycle(kNow, kBudget);
    ASSERT_TRUE(runs_in(engine, first, "a") && runs_in(engine, second, "b"));
    EXPECT_LT(engine.state().find_job(first)->start_priority, 500);
    EXPECT_GT(engine.state().find_job(second)->start_priority, 500);
}

TEST(OtherPartitions, AJobLeavesAPartitionWhoseDefaultTimeIsBeyondALimit) {
    ClusterSpec spec = two_partitions();
    spec.partitions[0].default_time = hours(24);
    spec.partitions[1].default_time = hours(1);
    spec.accounts.push_back({.name = "physics", .parent = "root"});
    AssociationSpec ann{.account = "physics", .user = "ann"};
    ann.limits.max_wall = hours(12);
    spec.associations.push_back(ann);
    spec.scheduling.enforce_limits = true;
    Engine engine = testing::make_engine(spec, kNow);
    JobSpec job = four_gpus("a,b");
    job.account = "physics";
    job.request.edit().time_limit.reset();
    const JobId id = testing::submit(engine, kNow, job);
    engine.cycle(kNow, kBudget);
    EXPECT_TRUE(runs_in(engine, id, "b"));
    EXPECT_EQ(engine.state().find_job(id)->time_limit, hours(1));
}

TEST(OtherPartitions, AJobWithADeadlineLeavesThePartitionWhoseDefaultTimeIsTooLong) {
    ClusterSpec spec = two_partitions();
    spec.partitions[0].default_time = minutes(90);
    spec.partitions[1].default_time = minutes(10);
    Engine engine = testing::make_engine(spec, kNow);
    JobSpec job = four_gpus("a,b");
    job.request.edit().time_limit.reset();
    job.deadline = kNow + hours(2);
    job.hold = true;
    const JobId id = testing::submit(engine, kNow, job);
    engine.cycle(kNow, kBudget);
    EXPECT_EQ(partition_of(engine, id), "a");
    const Time later = kNow + minutes(45);
    engine.cycle(later, kBudget);
    ASSERT_EQ(engine.state().find_job(id)->state, JobState::pending);
    EXPECT_EQ(partition_of(engine, id), "b");
    engine.apply(later, JobHeld{id, Hold::none});
    engine.cycle(later, kBudget);
    EXPECT_TRUE(runs_in(engine, id, "b"));
}

TEST(OtherPartitions, WithoutBackfillAJobBlocksNoPartitionWhereItCannotRun) {
    ClusterSpec spec = two_partitions();
    spec.scheduling.backfill = false;
    spec.partitions[1].max_time = minutes(10);
    Engine engine = testing::make_engine(spec, kNow);
    testing::submit(engine, kNow, four_gpus("a"));
    const JobId waits = testing::submit(engine, kNow, four_gpus("a,b"));
    const JobId brief = testing::submit(engine, kNow, four_gpus("b", minutes(5)));
    for (int i = 0; i < 3; ++i) engine.cycle(kNow, kBudget);
    EXPECT_EQ(engine.state().find_job(waits)->state, JobState::pending);
    EXPECT_TRUE(runs_in(engine, brief, "b"));
}

// Partition "a" has the higher tier, and is busy for two hours.
struct TwoTiers {
    TwoTiers() {
        testing::submit(engine, kNow, four_gpus("a", hours(2)));
        engine.cycle(kNow, kBudget);
    }
    static ClusterSpec spec() {
        ClusterSpec spec = two_partitions();
        spec.partitions[0].priority_tier = 2;
        return spec;
    }
    Engine engine = testing::make_engine(spec(), kNow);
};

TEST(OtherPartitions, AJobWaitsInTheHighestTierAndStartsInALowerOne) {
    TwoTiers tiers;
    Engine& engine = tiers.engine;
    const JobId first = testing::submit(engine, kNow, four_gpus("b", minutes(30)));
    const JobId id = testing::submit(engine, kNow, four_gpus("a,b"));
    engine.cycle(kNow, kBudget);
    EXPECT_TRUE(runs_in(engine, first, "b")) << "of the lower tier, it comes first there";
    EXPECT_EQ(partition_of(engine, id), "a");
    ASSERT_NE(engine.state().schedule().planned(id), nullptr);
    EXPECT_GE(engine.state().schedule().planned(id)->start, kNow + hours(2));
    const Time later = kNow + minutes(10);
    testing::finish(engine, later, first);
    engine.cycle(later, kBudget);
    EXPECT_TRUE(runs_in(engine, id, "b"));
}

TEST(OtherPartitions, AJobThatIsRequeuedWaitsAgainInTheHighestTier) {
    TwoTiers tiers;
    Engine& engine = tiers.engine;
    const JobId id = testing::submit(engine, kNow, four_gpus("a,b"));
    engine.cycle(kNow, kBudget);
    ASSERT_TRUE(runs_in(engine, id, "b"));
    const JobId other = testing::submit(engine, kNow, four_gpus("b", minutes(30)));
    engine.apply(kNow, EndJob{.job = id, .outcome = JobState::pending});
    testing::finish(engine, kNow, id);
    EXPECT_EQ(partition_of(engine, id), "a");
    engine.cycle(kNow, kBudget);
    EXPECT_TRUE(runs_in(engine, other, "b"));
    EXPECT_EQ(engine.state().find_job(id)->state, JobState::pending);
    EXPECT_EQ(partition_of(engine, id), "a");
}

TEST(OtherPartitions, WhatIsLeftOfAnArrayKeepsItsPlaceInTheHighestTier) {
    TwoTiers tiers;
    Engine& engine = tiers.engine;
    JobSpec spec = testing::make_job({.gpus = 2});
    spec.partition = "a,b";
    spec.array = ArraySpec{{0, 1, 2}, 0};
    const JobId array = testing::submit(engine, kNow, spec);
    for (int i = 0; i < 3; ++i) engine.cycle(kNow, kBudget);
    int in_b = 0;
    for (const JobId id : engine.state().index().holding())
        in_b += partition_of(engine, id) == "b" ? 1 : 0;
    EXPECT_EQ(in_b, 2);
    EXPECT_EQ(engine.state().find_job(array)->spec.array->tasks.size(), 1U);
    EXPECT_EQ(partition_of(engine, array), "a");
}

TEST(OtherPartitions, AJobPreemptsNobodyWhereAnotherHasRoom) {
    for (const bool has_room : {true, false}) {
        ClusterSpec spec = two_partitions();
        spec.qos.push_back({.name = "high", .preempt = {"normal"}});
        spec.scheduling.preemption.by = PreemptBy::qos;
        spec.scheduling.preemption.mode = PreemptMode::requeue;
        Engine engine = testing::make_engine(spec, kNow);
        const JobId first = testing::submit(engine, kNow, four_gpus("a"));
        JobSpec high = four_gpus("b", hours(3));
        high.qos = "high";
        if (!has_room) testing::submit(engine, kNow, high);
        engine.cycle(kNow, kBudget);
        ASSERT_TRUE(runs_in(engine, first, "a"));
        high.partition = "a,b";
        const JobId second = testing::submit(engine, kNow, high);
        engine.cycle(kNow, kBudget);
        EXPECT_EQ(runs_in(engine, first, "a"), has_room);
        EXPECT_EQ(runs_in(engine, second, "b"), has_room);
        EXPECT_EQ(engine.state().schedule().preemptor_holds().contains(second), !has_room);
    }
}

}  // namespace
}  // namespace berth
