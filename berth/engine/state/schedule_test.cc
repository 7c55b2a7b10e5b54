#include "berth/engine/state/schedule.h"

#include <gtest/gtest.h>

#include "berth/engine/state/job_queries.h"
#include "berth/engine/state/snapshot.h"
#include "berth/testing/builders.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

constexpr JobId kJob{1};

PlannedStart start_at(Time start) {
    return {.start = start, .end = start + 1h, .amounts = {{NodeId(0), Resources()}}};
}

TEST(Schedule, TellsWhetherAnythingIsNew) {
    Schedule schedule;
    UndoLog undo;
    EXPECT_FALSE(schedule.set_planned(kJob, std::nullopt, undo));
    EXPECT_TRUE(schedule.set_planned(kJob, start_at(Time(1h)), undo));
    EXPECT_TRUE(schedule.set_reason(kJob, PendingReason::resources, "node1", undo));
    EXPECT_FALSE(schedule.set_reason(kJob, PendingReason::resources, "node1", undo));
    EXPECT_TRUE(schedule.set_reason(kJob, PendingReason::resources, "node2", undo));
    EXPECT_TRUE(schedule.set_priority(kJob, 7, undo));
    EXPECT_FALSE(schedule.set_priority(kJob, 7, undo));
    EXPECT_EQ(schedule.planned(kJob)->start, Time(1h));
    EXPECT_EQ(schedule.reason_detail(kJob), "node2");
    EXPECT_EQ(schedule.priority(kJob), 7);
    EXPECT_EQ(schedule.priority(JobId(2)), std::nullopt);
}

TEST(Schedule, ForgetsAJobAndTakesThatBack) {
    Schedule schedule;
    UndoLog undo;
    schedule.set_reason(kJob, PendingReason::priority, {}, undo);
    schedule.set_preemptor_hold(kJob, Time(5min), undo);
    const PreemptorRest rest{Time(5min), Time(10min)};
    schedule.set_preemptor_rest(kJob, rest, undo);
    const std::size_t mark = undo.open();
    schedule.forget(kJob, undo);
    EXPECT_EQ(schedule.reason(kJob), PendingReason::none);
    EXPECT_TRUE(schedule.preemptor_holds().empty());
    EXPECT_TRUE(schedule.preemptor_rests().empty());
    schedule.undo(std::get<RestBefore>(undo.take_last()));
    schedule.undo(std::get<HoldBefore>(undo.take_last()));
    schedule.undo(std::get<StandingBefore>(undo.take_last()));
    EXPECT_FALSE(undo.has_after(mark));
    EXPECT_EQ(schedule.reason(kJob), PendingReason::priority);
    EXPECT_EQ(schedule.preemptor_holds().at(kJob), Time(5min));
    EXPECT_EQ(schedule.preemptor_rests().at(kJob), rest);
}

// Reasons and priorities are not durable, whatever else the state keeps of a job beside its record.
TEST(Schedule, LeavesARunItsPriorityOverARestart) {
    for (const bool limits : {false, true}) {
        ClusterSpec spec = testing::make_cluster(1);
        spec.scheduling.rules.push_back({.kind = "priority", .name = "size", .weight = 1000});
        spec.scheduling.prioritize_running = true;
        spec.scheduling.enforce_limits = limits;
        Engine engine = testing::make_engine(spec);
        const JobId job = testing::submit(engine, Time(0s), testing::make_job({.gpus = 8}));
        engine.cycle(Time(0s), 100);
        const std::int64_t priority = engine.state().find_job(job)->start_priority;
        ASSERT_GT(priority, 0);
        const auto again = state_from(slices_of(engine.state(), 1000));
        ASSERT_TRUE(again.ok());
        EXPECT_EQ(current_priority(*again, job), priority) << limits;
    }
}

}  // namespace
}  // namespace berth
