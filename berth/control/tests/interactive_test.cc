// Jobs without a script: the node runs nothing for them, and their client reports the end.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

JobSpec interactive(std::int64_t gpus = 1) {
    JobSpec spec = testing::make_job({.gpus = gpus});
    spec.command.edit().interactive = true;
    return spec;
}

class Interactive : public ::testing::Test {
protected:
    Interactive() { rig.connect_all(); }

    std::uint32_t start(std::int64_t gpus = 1) {
        const Answer answer = rig.ask(kAnn, SubmitJob{interactive(gpus), {}});
        const std::uint32_t id = std::get<Submitted>(answer).job.value();
        rig.turn();
        return id;
    }
    Answer complete(std::uint32_t id, ExitStatus exit, const Principal& who = kAnn) {
        return rig.ask(who, CompleteJob{{JobId(id), {}}, exit});
    }

    ControlRig rig{2};
};

TEST_F(Interactive, IsLaunchedWithoutABatchHost) {
    rig.ask(kAnn, SubmitJob{interactive(), {}});
    if (rig.orders<LaunchAttempt>().empty()) rig.turn();
    const auto launches = rig.orders<LaunchAttempt>();
    ASSERT_EQ(launches.size(), 1U);
    EXPECT_FALSE(launches[0].second.batch_host);
}

TEST_F(Interactive, EndsWithTheExitThatItsClientTells) {
    struct Case {
        ExitStatus exit;
        JobState outcome;
        const char* reason;
    };
    for (const Case& one :
         {Case{{0, 0}, JobState::completed, ""}, Case{{3, 0}, JobState::failed, "NonZeroExitCode"},
          Case{{0, 9}, JobState::failed, "RaisedSignal"}}) {
        const std::uint32_t id = start();
        ASSERT_EQ(rig.job(id).state, JobState::running);
        EXPECT_TRUE(std::holds_alternative<Done>(complete(id, one.exit)));
        EXPECT_EQ(rig.job(id).state, JobState::completing);
        EXPECT_EQ(rig.job(id).outcome, one.outcome);
        EXPECT_EQ(rig.job(id).exit, one.exit);
        EXPECT_EQ(rig.job(id).state_reason, one.reason);
        EXPECT_FALSE(rig.orders<EndAttempt>().empty());
        // Repeated, as after a lost answer: the recorded end stands.
        EXPECT_TRUE(std::holds_alternative<Done>(complete(id, {7, 0})));
        EXPECT_EQ(rig.job(id).exit, one.exit);
    }
}

TEST_F(Interactive, IsEndedByItsOwnerAlone) {
    const std::uint32_t id = start();
    EXPECT_EQ(why(complete(id, {}, kBob)), Refusal::not_allowed);
    EXPECT_EQ(why(complete(id, {}, kOperator)), Refusal::not_allowed);
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_TRUE(std::holds_alternative<Done>(complete(id, {}, kRoot)));
}

TEST_F(Interactive, WaitsToBeCancelledAndNotCompleted) {
    start(8), start(8);  // Both nodes.
    const Answer answer = rig.ask(kAnn, SubmitJob{interactive(8), {}});
    const auto waiting = std::get<Submitted>(answer).job.value();
    EXPECT_EQ(why(complete(waiting, {})), Refusal::job_not_running);
}

TEST_F(Interactive, HasNoScriptAndIsNoArray) {
    EXPECT_EQ(why(rig.ask(kAnn, SubmitJob{interactive(), {.script = "#!/bin/sh\n"}})),
              Refusal::invalid_request);
    JobSpec array = interactive();
    array.array = ArraySpec{{1, 2}, 0};
    EXPECT_EQ(why(rig.ask(kAnn, SubmitJob{array, {}})), Refusal::invalid_array);
    const Answer batch = rig.ask(kAnn, SubmitJob{testing::make_job(), {.script = "#!/bin/sh\n"}});
    rig.turn();
    EXPECT_EQ(why(complete(std::get<Submitted>(batch).job.value(), {})), Refusal::invalid_request);
}

TEST_F(Interactive, IsNotRunAgainWhenItsNodeIsLost) {
    const std::uint32_t id = start();
    EXPECT_EQ(why(rig.ask(kAnn, RequeueJob{{JobId(id), {}}})), Refusal::job_not_requeueable);
    const std::uint32_t node = rig.job(id).nodes.front().value();
    rig.reboot(node);
    rig.connect(node);
    EXPECT_EQ(rig.job(id).state, JobState::node_fail);
}

}  // namespace
}  // namespace berth
