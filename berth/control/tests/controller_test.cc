#include "berth/control/core/controller.h"

#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Controller, RecordsItsTermAndTheConfigurationFirst) {
    ControlRig rig;
    ASSERT_EQ(rig.records.size(), 1U);
    const Record& first = rig.records.front();
    EXPECT_EQ(first.epoch, Epoch{1});
    EXPECT_EQ(std::get<ControllerStarted>(first.facts.at(0)).epoch, Epoch{1});
    EXPECT_EQ(std::get<SpecInstalled>(first.facts.at(1)).spec.nodes.size(), 2U);
    EXPECT_TRUE(rig.last.changes.spec);
}

TEST(Controller, RecordsAnUnchangedConfigurationOnlyOnce) {
    ControlRig rig;
    rig.restart();
    EXPECT_EQ(rig.facts<ControllerStarted>().at(0).epoch, Epoch{2});
    EXPECT_TRUE(rig.facts<SpecInstalled>().empty());
    EXPECT_TRUE(rig.last.changes.all) << "readers of a new process have nothing yet";
}

TEST(Controller, WritesNothingWhenNothingHappens) {
    ControlRig rig;
    rig.connect_all();
    rig.report(0, Heartbeat{});
    EXPECT_TRUE(rig.last.record.facts.empty());
    EXPECT_TRUE(rig.last.orders.empty());
}

TEST(Controller, PlacesByWhatTheAgentsRead) {
    ClusterSpec spec = testing::make_cluster(8);
    spec.scheduling.rules.push_back({.kind = "placement", .name = "least_loaded", .weight = 1});
    ControlRig rig(std::move(spec));
    rig.connect_all();
    for (std::uint32_t node = 0; node < 8; ++node) {
        rig.report(node, Heartbeat{{{.gpu = 0, .temperature = node == 6 ? 40 : 90}}});
        EXPECT_TRUE(rig.last.record.facts.empty()) << "readings are never recorded";
    }
    EXPECT_EQ(rig.job(rig.submit({.gpus = 1})).nodes.at(0), NodeId(6));
    rig.report(6, Heartbeat{{{.gpu = 0, .temperature = 95}}});
    rig.report(3, Heartbeat{{{.gpu = 0, .temperature = 60}}});
    EXPECT_EQ(rig.job(rig.submit({.gpus = 1})).nodes.at(0), NodeId(3));
    // After 91 s no reading is recent enough: it is as if none had been reported.
    rig.report(5, Heartbeat{{{.gpu = 0, .temperature = 20}}});
    rig.now += std::chrono::seconds(91);
    EXPECT_NE(rig.job(rig.submit({.gpus = 1})).nodes.at(0), NodeId(5));
}

TEST(Controller, AnswersAndOrdersInTheTurnWhoseRecordTheyStandIn) {
    ControlRig rig;
    rig.connect_all();
    const std::uint32_t id = rig.submit({.gpus = 2});
    EXPECT_EQ(rig.facts<JobSubmitted>().at(0).job.id, JobId(id));
    ASSERT_EQ(rig.facts<StartJob>().size(), 1U);
    ASSERT_EQ(rig.last.record.payloads.size(), 1U);
    EXPECT_EQ(rig.last.record.payloads[0].second.script, "#!/bin/sh\n");
    const auto launches = rig.orders<LaunchAttempt>();
    ASSERT_EQ(launches.size(), 1U);
    const LaunchAttempt& launch = launches[0].second;
    EXPECT_TRUE(launch.batch_host);
    EXPECT_EQ(launch.attempt, Attempt{1});
    EXPECT_EQ(launch.partition, "main");
    EXPECT_EQ(launch.owner.uid, kAnn.uid);
    EXPECT_EQ(popcount(launch.share.devices), 2);
    EXPECT_EQ(launch.ends_at, rig.now + std::chrono::hours(1));
    EXPECT_TRUE(launch.payload.script.empty()) << "whoever sends it reads the script";
    const Order& order = rig.last.orders[0].order;
    EXPECT_EQ(order.epoch, Epoch{1});
    EXPECT_EQ(order.boot_id, "boot-1");
    EXPECT_EQ(order.session, rig.agents[launches[0].first].session);
}

TEST(Controller, ReplaysToTheSameStateAfterEveryKindOfTurn) {
    ControlRig rig(3);
    rig.connect_all();
    const std::uint32_t first = rig.run({.nodes = 2, .gpus = 8});
    rig.submit({.nodes = 3, .gpus = 8});
    JobSpec array = testing::make_job({.gpus = 1});
    array.array = ArraySpec{{0, 1, 2, 3, 4, 5}, 2};
    rig.submit(array);
    rig.ask(kAnn, CancelJob{.job = {JobId(first), {}}});
    rig.restart();  // Compares the hashes.
    rig.connect_all();
    rig.wait(seconds(30));
    rig.restart();
}

TEST(Controller, AcceptsAnArrayOfTenThousandTasksInOneFact) {
    ClusterSpec spec = testing::make_cluster(2);
    spec.scheduling.max_array_size = 10'001;
    ControlRig rig(std::move(spec));
    JobSpec job = testing::make_job({.gpus = 1});
    job.array = ArraySpec{};
    for (std::uint32_t task = 0; task < 10'000; ++task) job.array->tasks.push_back(task);
    const std::uint32_t id = rig.submit(job);
    EXPECT_EQ(rig.facts<JobSubmitted>().size(), 1U);
    EXPECT_EQ(rig.last.record.payloads.size(), 1U);
    EXPECT_EQ(rig.job(id).spec.array->tasks.size(), 10'000U);
    EXPECT_EQ(rig.state().jobs().size(), 1U);
}

TEST(Controller, LaunchesArrayTasksWithTheArraysBounds) {
    ControlRig rig(1);
    rig.connect_all();
    JobSpec job = testing::make_job({.gpus = 4});
    job.array = ArraySpec{{2, 4, 6}, 0};
    const std::uint32_t array = rig.submit(job);
    const auto launches = rig.orders<LaunchAttempt>();
    ASSERT_EQ(launches.size(), 2U);
    EXPECT_EQ(launches[0].second.array_job, JobId(array));
    EXPECT_EQ(launches[0].second.array_task, 2U);
    EXPECT_EQ(launches[1].second.array_task, 4U);
    EXPECT_EQ(launches[0].second.array_bounds, (std::vector<std::uint32_t>{3, 2, 6, 2}));
}

TEST(Controller, TakesNoNewWorkWithoutRoomButRecordsEnds) {
    ControlRig rig;
    rig.connect_all();
    const std::uint32_t running = rig.run();
    const std::uint32_t node = rig.job(running).nodes.at(0).value();
    rig.has_room = false;
    EXPECT_EQ(why(rig.ask(kAnn, SubmitJob{testing::make_job(), {"#!/bin/sh\n", {}}})),
              Refusal::read_only);
    EXPECT_TRUE(rig.last.record.facts.empty());
    rig.report(node, end_report(running));
    EXPECT_EQ(rig.job(running).state, JobState::completed);
    rig.has_room = true;
    EXPECT_NO_THROW(rig.submit());
}

TEST(Controller, AnswersBeforeALongCycleAndPausesBehindIt) {
    ControlRig rig(4);
    rig.connect_all();
    rig.submit();
    rig.took(milliseconds(30));
    rig.now += seconds(1);
    const std::uint32_t second = rig.submit();
    EXPECT_EQ(rig.job(second).state, JobState::pending) << "the answer does not wait for the start";
    EXPECT_EQ(rig.last.wake_at, rig.now);
    rig.turn();
    EXPECT_EQ(rig.job(second).state, JobState::running);
    rig.took(milliseconds(20));
    const std::uint32_t third = rig.submit();
    const Time until = rig.now + milliseconds(20) + milliseconds(80);
    EXPECT_EQ(rig.last.wake_at, until);
    rig.now = until - Duration(1);
    rig.turn();
    EXPECT_EQ(rig.job(third).state, JobState::pending);
    rig.now = until;
    rig.turn();
    EXPECT_EQ(rig.job(third).state, JobState::running);
}

TEST(Controller, ForgetsFinalJobsOnceTheyAreOldEnough) {
    ControlRig rig;
    rig.connect_all();
    const std::uint32_t id = rig.run();
    rig.report(rig.job(id).nodes.at(0).value(), end_report(id));
    const Time due = rig.now + rig.state().spec().scheduling.min_job_age;
    ASSERT_TRUE(rig.last.wake_at.has_value());
    EXPECT_LE(*rig.last.wake_at, due);
    rig.now = due - Duration(1);
    rig.turn();
    EXPECT_TRUE(rig.knows(id));
    rig.now = due;
    rig.turn();
    EXPECT_FALSE(rig.knows(id));
    EXPECT_EQ(rig.last.changes.gone, std::vector{JobId(id)});
}

TEST(Controller, KeepsAFinalJobThatAnotherWaitsFor) {
    ControlRig rig;
    rig.connect_all();
    const std::uint32_t first = rig.run();
    JobSpec spec = testing::make_job();
    spec.hold = true;
    spec.dependencies = {{.kind = DependencyKind::afterok, .job = JobId(first)}};
    const std::uint32_t second = rig.submit(spec);
    rig.report(rig.job(first).nodes.at(0).value(), end_report(first, 1, ExitStatus{3, 0}));
    for (int i = 0; i < 100; ++i) {
        rig.wait(seconds(20));
        for (std::uint32_t node = 0; node < 2; ++node) rig.report(node, Heartbeat{});
    }
    EXPECT_TRUE(rig.knows(first));
    rig.ask(kAnn, CancelJob{.job = {JobId(second), {}}});
    rig.turn();
    EXPECT_FALSE(rig.knows(first));
}

TEST(Controller, NeverGoesBackInTime) {
    ControlRig rig;
    rig.connect_all();
    rig.now = from_seconds(5000);
    rig.submit();
    const Time recorded = rig.last.record.now;
    rig.now = from_seconds(10);
    rig.submit();
    EXPECT_EQ(rig.last.record.now, recorded);
    rig.restart();
    EXPECT_EQ(rig.last.record.now, recorded) << "nor does the controller after it";
}

// The last record need not concern a job.
TEST(Controller, NeverGoesBackBehindItsLastRecord) {
    ControlRig rig;
    rig.now = from_seconds(5000);
    rig.connect_all();
    const Time recorded = rig.last.record.now;
    ASSERT_EQ(recorded, from_seconds(5000));
    rig.now = from_seconds(10);
    rig.restart();
    EXPECT_EQ(rig.last.record.now, recorded);
}

TEST(Controller, TellsTheHashOfTheStateThatItsRecordLeadsTo) {
    ControlRig rig;
    rig.connect_all();
    rig.turn({ClientInput{{1}, kRoot, HashState{}},
              ClientInput{{2}, kAnn, SubmitJob{testing::make_job(), {"#!/bin/sh\n", {}}}}});
    std::optional<StateHashed> hashed;
    for (const OutgoingAnswer& answer : rig.last.answers) {
        if (const auto* found = std::get_if<StateHashed>(&answer.answer)) hashed = *found;
    }
    ASSERT_TRUE(hashed.has_value());
    EXPECT_EQ(hashed->hash, rig.state().hash());
    EXPECT_EQ(hashed->sequence, rig.records.size());
    EXPECT_EQ(why(rig.ask(kAnn, HashState{})), Refusal::not_allowed);
}

TEST(Controller, NamesChangedJobsAndNodesToReaders) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint32_t id = rig.submit();
    EXPECT_EQ(rig.last.changes.jobs, std::vector{JobId(id)});
    EXPECT_EQ(rig.last.changes.nodes, rig.job(id).nodes);
    EXPECT_EQ(rig.last.changes.sequence, rig.records.size());
}

}  // namespace
}  // namespace berth
