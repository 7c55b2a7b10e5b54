// PrologSlurmctld and EpilogSlurmctld, from the controller's side.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

ClusterSpec with_hooks(bool prolog, bool epilog) {
    ClusterSpec spec = testing::make_cluster(1);
    if (prolog) spec.hooks.controller_prolog = {"/etc/prolog"};
    if (epilog) spec.hooks.controller_epilog = {"/etc/epilog"};
    spec.hooks.timeout = 30s;
    return spec;
}

class HooksTest : public ::testing::Test {
protected:
    explicit HooksTest(bool prolog = true, bool epilog = true) : rig(with_hooks(prolog, epilog)) {
        rig.connect_all();
    }
    HookCall only_call() {
        EXPECT_EQ(rig.last.hooks.size(), 1U);
        return rig.last.hooks.empty() ? HookCall{} : rig.last.hooks.front();
    }
    Turn& answer(const HookCall& call, const std::string& failure = "") {
        return rig.turn({HookAnswered{call.job, call.attempt, call.hook, failure}});
    }

    ControlRig rig;
};

TEST_F(HooksTest, FindNoControlCharactersInUsersTexts) {
    JobSpec spec = testing::make_job({});
    spec.name = "train\nSLURM_JOB_UID=0";
    spec.comment = "a\tb\x1b";
    rig.submit(std::move(spec));
    const std::vector<std::string> environment = only_call().environment;
    const auto has = [&](const char* setting) {
        return std::ranges::find(environment, setting) != environment.end();
    };
    EXPECT_TRUE(has("SLURM_JOB_NAME=train\\012SLURM_JOB_UID=0"));
    EXPECT_TRUE(has("SLURM_JOB_COMMENT=a\\011b\\033"));
}

TEST_F(HooksTest, AJobIsLaunchedWhenItsPrologIsOver) {
    const std::uint32_t id = rig.submit();
    const HookCall call = only_call();
    EXPECT_EQ(call.hook, ControllerHook::prolog);
    EXPECT_EQ(call.programs, std::vector<std::string>{"/etc/prolog"});
    EXPECT_EQ(call.timeout, 30s);
    EXPECT_NE(std::ranges::find(call.environment, "SLURM_JOB_ID=1"), call.environment.end());
    EXPECT_NE(std::ranges::find(call.environment, "SLURM_SCRIPT_CONTEXT=prolog_slurmctld"),
              call.environment.end());
    EXPECT_TRUE(rig.job(id).is_configuring());
    EXPECT_TRUE(rig.orders<LaunchAttempt>().empty());
    rig.wait(5s);
    EXPECT_TRUE(rig.orders<LaunchAttempt>().empty());
    EXPECT_TRUE(rig.last.hooks.empty());
    EXPECT_EQ(why(rig.ask(kAnn, CreateStep{.job = {JobId(id), {}}, .request = {}, .launch = {}})),
              Refusal::job_not_running);
    answer(call);
    EXPECT_EQ(rig.orders<LaunchAttempt>().size(), 1U);
    EXPECT_FALSE(rig.job(id).is_configuring());
}

TEST_F(HooksTest, AJobWhosePrologFailsIsRequeuedAndHeld) {
    const std::uint32_t id = rig.submit();
    answer(only_call(), "ended with exit code 1");
    rig.report(0, never_ran(id));
    const Job& job = rig.job(id);
    EXPECT_EQ(job.state, JobState::pending);
    EXPECT_EQ(job.hold, Hold::admin);
    EXPECT_EQ(rig.state().schedule().reason(job.id), PendingReason::launch_failed_requeued_held);
    EXPECT_EQ(only_call().hook, ControllerHook::epilog);
}

TEST_F(HooksTest, AJobThatMayNotBeRequeuedFails) {
    JobSpec spec = testing::make_job({});
    spec.requeue = false;
    const std::uint32_t id = rig.submit(spec);
    answer(only_call(), "ended with exit code 1");
    EXPECT_EQ(rig.job(id).outcome, JobState::failed);
}

TEST_F(HooksTest, TheNextControllerRunsAgainWhatItDidNotSeeTheEndOf) {
    const std::uint32_t id = rig.submit();
    const HookCall before = only_call();
    rig.restart();
    const HookCall again = only_call();
    EXPECT_EQ(again.job, before.job);
    EXPECT_EQ(again.attempt, before.attempt);
    rig.connect_all();
    EXPECT_TRUE(rig.orders<LaunchAttempt>().empty());
    answer(again);
    EXPECT_EQ(rig.orders<LaunchAttempt>().size(), 1U);
    rig.restart();
    EXPECT_TRUE(rig.last.hooks.empty());
    EXPECT_FALSE(rig.job(id).is_configuring());
}

TEST_F(HooksTest, TheEpilogWaitsForAPrologThatStillRuns) {
    const std::uint32_t id = rig.submit();
    const HookCall prolog = only_call();
    rig.ask(kAnn, CancelJob{.job = {JobId(id), {}}});
    rig.report(0, never_ran(id));
    EXPECT_EQ(rig.job(id).state, JobState::cancelled);
    EXPECT_TRUE(rig.last.hooks.empty());
    answer(prolog, "ended with exit code 1");
    EXPECT_EQ(only_call().hook, ControllerHook::epilog);
    EXPECT_EQ(rig.job(id).state, JobState::cancelled);
}

class EpilogTest : public HooksTest {
protected:
    EpilogTest() : HooksTest(false, true) {}
};

TEST_F(EpilogTest, RunsWhenTheLastNodeIsDoneAndItsFailureIsOnlyLogged) {
    const std::uint32_t id = rig.run();
    rig.report(0, end_report(id, 1, ExitStatus{.code = 4}));
    const HookCall call = only_call();
    EXPECT_EQ(call.hook, ControllerHook::epilog);
    EXPECT_NE(std::ranges::find(call.environment, "SLURM_JOB_EXIT_CODE2=4:0"),
              call.environment.end());
    answer(call, "ended with exit code 9");
    EXPECT_EQ(rig.job(id).state, JobState::failed);
    EXPECT_EQ(rig.job(id).hook, ControllerHook::none);
    ASSERT_FALSE(rig.last.log.empty());
    EXPECT_EQ(rig.last.log.front().text, "EpilogSlurmctld of job 1 ended with exit code 9");
}

TEST_F(EpilogTest, ARequeuedJobStartsWhenItsEpilogIsOver) {
    const std::uint32_t id = rig.run();
    rig.ask(kAnn, RequeueJob{.job = {JobId(id), {}}});
    rig.report(0, end_report(id));
    const HookCall call = only_call();
    EXPECT_EQ(rig.job(id).state, JobState::pending);
    EXPECT_EQ(rig.state().schedule().reason(JobId(id)), PendingReason::cleaning);
    rig.wait(1s);
    EXPECT_EQ(rig.job(id).state, JobState::pending);
    answer(call);
    EXPECT_EQ(rig.job(id).state, JobState::running);
}

TEST_F(EpilogTest, AJobIsNotForgottenBeforeItsEpilogIsOver) {
    const std::uint32_t id = rig.run();
    rig.report(0, end_report(id));
    const HookCall call = only_call();
    rig.wait(24h);
    EXPECT_TRUE(rig.knows(id));
    answer(call);
    rig.wait(1s);
    EXPECT_FALSE(rig.knows(id));
}

}  // namespace
}  // namespace berth
