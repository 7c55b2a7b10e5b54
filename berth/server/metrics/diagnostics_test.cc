#include "berth/server/metrics/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <thread>

#include "berth/server/snapshot/sample_cluster.h"

namespace berth {
namespace {

// Facts become state, and are counted, as in the controller's loop.
class Counting : public ::testing::Test {
protected:
    void turn(std::vector<Fact> facts) {
        Record record{.now = cluster.now, .facts = std::move(facts)};
        for (const Fact& fact : record.facts) cluster.apply(fact);
        diagnostics.recorded(record, cluster.state());
    }
    Fact start(std::uint32_t id, std::uint32_t node) {
        return StartJob{
            .job = JobId(id), .attempt = Attempt(1), .allocation = SampleCluster::allocation(node)};
    }
    Fact end(std::uint32_t id, std::uint32_t node, std::int16_t code) {
        return AttemptEnded{.job = JobId(id),
                            .attempt = Attempt(1),
                            .node = NodeId(node),
                            .batch_exit = ExitStatus{.code = code}};
    }
    api::DiagnosticsRow row() { return diagnostics.row(*cluster.publish(read_model), cluster.now); }

    SampleCluster cluster;
    ReadModel read_model;
    Diagnostics diagnostics;
};

TEST_F(Counting, TellsEndsApartAndCountsEachJobOnce) {
    Job array = SampleCluster::job(9);
    array.spec.array = ArraySpec{{0, 1, 2, 3}, 0};
    turn({JobSubmitted{SampleCluster::job(1)}, JobSubmitted{SampleCluster::job(2)},
          JobSubmitted{SampleCluster::job(3)}, JobSubmitted{SampleCluster::job(4)},
          JobSubmitted{array}});
    turn({start(1, 0), start(2, 1), start(3, 2)});
    EXPECT_EQ(row().jobs_running, 3);
    EXPECT_EQ(row().jobs_pending, 5);
    turn({end(1, 0, 0)});
    turn({end(2, 1, 3)});
    turn({EndJob{.job = JobId(3), .outcome = JobState::cancelled}});
    EXPECT_EQ(row().jobs_canceled, 0);  // It is not over yet.
    turn({end(3, 2, 0)});
    turn({JobCancelled{.job = JobId(4)}, JobCancelled{.job = JobId(9), .array_tasks = {1, 2}}});
    const api::DiagnosticsRow counted = row();
    EXPECT_EQ(counted.jobs_submitted, 8);
    EXPECT_EQ(counted.jobs_started, 3);
    EXPECT_EQ(counted.jobs_completed, 2);  // Whatever its exit code.
    EXPECT_EQ(counted.jobs_failed, 0);
    EXPECT_EQ(counted.jobs_canceled, 4);
    EXPECT_EQ(counted.jobs_pending, 2);
    EXPECT_EQ(counted.jobs_running, 0);
}

TEST_F(Counting, KnowsThePartsOfTurnsAndThoseOfTheLongest) {
    using enum TurnPart;
    const auto turn_of = [&](std::chrono::milliseconds length) {
        for (const TurnPart part : {waiting, deciding, TurnPart::recording})
            diagnostics.part_begins(part);
        std::this_thread::sleep_for(length);
        for (const TurnPart part : {publishing, answering, resting}) diagnostics.part_begins(part);
    };
    turn_of(std::chrono::milliseconds(1));
    turn_of(std::chrono::milliseconds(9));
    turn_of(std::chrono::milliseconds(0));
    diagnostics.part_begins(waiting);  // The last one is over.
    const auto turns = row().turns;
    ASSERT_EQ(turns.size(), 7U);
    const auto part = [&](std::string_view name) {
        return *std::ranges::find(turns, name, &api::TurnFigures::part);
    };
    EXPECT_EQ(part("turn").count, 3 + 1) << "with what came before the first wait";
    EXPECT_EQ(part("recording").count, 3);
    EXPECT_GE(part("recording").total, 10'000);
    EXPECT_GE(part("recording").in_longest_turn, 9000);
    EXPECT_EQ(part("recording").in_longest_turn, part("recording").most);
    EXPECT_GE(part("turn").most, part("recording").most);
    EXPECT_EQ(part("turn").most, part("turn").in_longest_turn);
    diagnostics.reset(cluster.now);
    EXPECT_EQ(row().turns.front().count, 0);
}

// CPU time of this thread.
std::chrono::nanoseconds cpu_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

TEST_F(Counting, TellsTheCpuTimeOfACycleFromItsLength) {
    diagnostics.cycle_begins();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    diagnostics.cycle_ended({.ran = true});
    EXPECT_GE(row().cycles.total, 50'000);
    EXPECT_LT(row().cycles.total_cpu, 25'000) << "it slept";
    const std::int64_t slept = row().cycles.total_cpu;
    diagnostics.cycle_begins();
    for (const auto begun = cpu_time(); cpu_time() - begun < std::chrono::milliseconds(5);) {
    }
    diagnostics.cycle_ended({.ran = true, .end = CycleWork::End::out_of_budget});
    EXPECT_GE(row().cycles.total_cpu - slept, 5000);
    EXPECT_GE(row().cycles.total, row().cycles.total_cpu);
    EXPECT_EQ(row().rounds.total_cpu, slept) << "the second cycle did not see the whole queue";
    diagnostics.reset(cluster.now);
    EXPECT_EQ(row().cycles.total_cpu, 0);
}

TEST_F(Counting, BeginsAnewWithTheDayAndWhenAsked) {
    turn({JobSubmitted{SampleCluster::job(1)}});
    EXPECT_EQ(row().since, cluster.now);
    diagnostics.called(api::RouteId::ping, {.uid = 7, .user = "ada"}, std::chrono::microseconds(5));
    cluster.now += std::chrono::hours(24);
    EXPECT_EQ(row().jobs_submitted, 0);
    EXPECT_EQ(row().since, Time(std::chrono::hours(24)));
    ASSERT_EQ(row().calls.size(), 1U);
    EXPECT_EQ(row().calls[0].name, "GET /v1/ping");
    EXPECT_EQ(row().users[0].name, "ada");
    EXPECT_EQ(row().users[0].total, 5);
    cluster.now += std::chrono::hours(1);
    turn({JobSubmitted{SampleCluster::job(2)}});
    EXPECT_EQ(row().jobs_submitted, 1);
    diagnostics.reset(cluster.now);
    EXPECT_EQ(row().jobs_submitted, 0);
    EXPECT_TRUE(row().calls.empty());
    EXPECT_EQ(row().since, cluster.now);
}

}  // namespace
}  // namespace berth
