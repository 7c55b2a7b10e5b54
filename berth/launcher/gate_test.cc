#include "berth/launcher/gate.h"

#include <functional>

#include "berth/base/codec.h"
#include "berth/launcher/gate_rig.h"

namespace berth {
namespace {

TEST(LaunchGate, DoesWhatTheControllerHasSigned) {
    GateRig rig;
    const LaunchAttempt launch = rig.sign(rig.attempt());
    EXPECT_EQ(rig.ask(rig.prolog(launch)), "");
    const Result<HostAction> done = rig.gate->admit(StartAttempt{launch}, rig.now);
    ASSERT_TRUE(done.ok()) << done.error().message;
    LaunchAttempt expected = launch;
    expected.credential.clear();
    EXPECT_EQ(std::get<StartAttempt>(*done).launch, expected);
    rig.here.insert({launch.job, launch.attempt});
    EXPECT_EQ(rig.ask(StartStep{rig.sign(rig.step(launch)), rig.bare(launch)}), "");
    EXPECT_EQ(rig.ask(SignalRun{{launch.job, launch.attempt, kExternStep}, 15, true}), "");
    EXPECT_EQ(rig.ask(rig.epilog(launch)), "");
    EXPECT_EQ(rig.ask(RemoveAttempt{launch.job, launch.attempt}), "");
}

// What a compromised agent might try.
TEST(LaunchGate, RefusesAnOrderInWhichAnythingIsAltered) {
    struct Case {
        const char* what;
        std::function<void(LaunchAttempt&)> alter;
    };
    const std::vector<Case> cases = {
        {"job", [](LaunchAttempt& a) { a.job = JobId{8}; }},
        {"attempt", [](LaunchAttempt& a) { a.attempt = Attempt{2}; }},
        {"node", [](LaunchAttempt& a) { a.node = NodeId{1}; }},
        {"batch host", [](LaunchAttempt& a) { a.batch_host = false; }},
        {"devices", [](LaunchAttempt& a) { a.share.devices = 0b1111; }},
        {"memory", [](LaunchAttempt& a) { a.share.memory = Bytes(std::int64_t{1} << 40); }},
        {"cores", [](LaunchAttempt& a) { a.share.cores = BitSet(4); }},
        {"uid", [](LaunchAttempt& a) { a.owner.uid = 0; }},
        {"gid", [](LaunchAttempt& a) { a.owner.gid = 0; }},
        {"user", [](LaunchAttempt& a) { a.owner.user = std::string("root"); }},
        {"group", [](LaunchAttempt& a) { a.owner.group = std::string("disk"); }},
        {"name", [](LaunchAttempt& a) { a.spec.name = "other"; }},
        {"working directory",
         [](LaunchAttempt& a) { a.spec.command.edit().work_dir = "/home/bob"; }},
        {"output", [](LaunchAttempt& a) { a.spec.command.edit().std_out = "/home/bob/x"; }},
        {"partition", [](LaunchAttempt& a) { a.partition = "vip"; }},
        {"shares", [](LaunchAttempt& a) { a.shares.clear(); }},
        {"nodes", [](LaunchAttempt& a) { a.node_names = {"gpu2"}; }},
        {"end", [](LaunchAttempt& a) { a.ends_at = kNever; }},
        {"restarts", [](LaunchAttempt& a) { a.restarts = 1; }},
        {"confinement", [](LaunchAttempt& a) { a.confinement.devices = true; }},
        {"cluster", [](LaunchAttempt& a) { a.cluster = "other"; }},
        {"prolog", [](LaunchAttempt& a) { a.hooks.prolog = {"/tmp/evil"}; }},
        {"epilog", [](LaunchAttempt& a) { a.hooks.epilog = {"/tmp/evil"}; }},
        {"task prolog", [](LaunchAttempt& a) { a.hooks.task_prolog = "/tmp/evil"; }},
        {"script", [](LaunchAttempt& a) { a.payload.script += "curl evil\n"; }},
        {"environment", [](LaunchAttempt& a) { a.payload.environment = {"LD_PRELOAD=/x"}; }},
        {"no payload", [](LaunchAttempt& a) { a.payload = {}; }},
        {"no credential", [](LaunchAttempt& a) { a.credential.clear(); }},
        {"not a credential", [](LaunchAttempt& a) { a.credential = "trust me"; }},
    };
    for (const Case& one : cases) {
        GateRig rig;
        LaunchAttempt launch = rig.sign(rig.attempt());
        one.alter(launch);
        EXPECT_NE(rig.ask(StartAttempt{launch}), "") << one.what;
        EXPECT_TRUE(rig.disk.kept.empty()) << one.what;  // Nor is anything recorded.
        if (std::string_view(one.what) != "script" && std::string_view(one.what) != "environment" &&
            std::string_view(one.what) != "no payload") {
            EXPECT_NE(rig.ask(rig.prolog(launch)), "") << one.what;
        }
    }
}

// Flipping any bit of the signed bytes or of the signature makes the credential invalid.
TEST(LaunchGate, RefusesACredentialInWhichAnyByteIsAltered) {
    GateRig rig;
    const LaunchAttempt launch = rig.sign(rig.attempt());
    for (std::size_t i = 0; i < launch.credential.size(); ++i) {
        LaunchAttempt altered = launch;
        altered.credential[i] = static_cast<char>(altered.credential[i] ^ (1 << (i % 8)));
        EXPECT_NE(rig.ask(StartAttempt{altered}), "") << "byte " << i;
        // Even if the agent's copy matches the altered bytes.
        const auto read = read_attempt_credential(altered.credential,
                                                  *VerifyingKeys::of(rig.controller.public_keys()));
        EXPECT_FALSE(read.ok()) << "byte " << i;
    }
    EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
}

TEST(LaunchGate, RefusesWhatAnotherKeyHasSigned) {
    GateRig rig;
    const SigningKeys other = *SigningKeys::of(*make_signing_key());
    EXPECT_TRUE(says(rig.ask(StartAttempt{rig.sign_with(other, rig.attempt())}), "by key"));
}

TEST(LaunchGate, BelievesAnOldKeyForAsLongAsItIsKnown) {
    GateRig rig;
    const std::string old_key = *make_signing_key();
    const SigningKeys old = *SigningKeys::of(old_key);
    const SigningKeys both = *SigningKeys::of(*make_signing_key(), old_key);
    LaunchGate gate(
        {.node = "gpu1", .boot_id = rig.boot_id, .present = [](JobId, Attempt) { return false; }},
        *VerifyingKeys::of(both.public_keys()), *LaunchLedger::open(rig.disk, {}));
    EXPECT_TRUE(gate.admit(StartAttempt{rig.sign_with(old, rig.attempt(1))}, rig.now).ok());
    LaunchAttempt next = rig.attempt(2);
    next.share.devices = 0;
    EXPECT_TRUE(gate.admit(StartAttempt{rig.sign_with(both, next)}, rig.now).ok());
}

TEST(LaunchGate, RefusesWhatIsForAnotherNodeOrAnotherBoot) {
    GateRig rig;
    EXPECT_TRUE(says(rig.ask(StartAttempt{rig.sign(rig.attempt(), "gpu2")}), "node 'gpu2'"));
    const LaunchAttempt launch = rig.sign(rig.attempt());
    rig.boot_id = "boot-b";
    rig.reopen();
    EXPECT_TRUE(says(rig.ask(StartAttempt{launch}), "another boot"));
}

TEST(LaunchGate, BeginsNothingThatWasSignedLongAgoOrIsOfTheFuture) {
    GateRig rig;
    const LaunchAttempt launch = rig.sign(rig.attempt());
    const Time signed_at = rig.now;
    rig.now = signed_at + kCredentialLife + kClockSkewMax + Duration(1);
    EXPECT_TRUE(says(rig.ask(StartAttempt{launch}), "it is old"));
    rig.now = signed_at - kClockSkewMax - Duration(1);
    EXPECT_TRUE(says(rig.ask(StartAttempt{launch}), "clocks"));
    rig.now = signed_at + kCredentialLife;
    EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
}

TEST(LaunchGate, LetsAJobThatIsHereGoOnWhenItsCredentialHasRunOut) {
    GateRig rig;
    const LaunchAttempt launch = rig.sign(rig.attempt());
    EXPECT_EQ(rig.ask(rig.prolog(launch)), "");
    rig.now += std::chrono::hours(1);  // The prolog takes long.
    EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
    rig.now += std::chrono::hours(100);
    EXPECT_EQ(rig.ask(StartStep{rig.sign(rig.step(launch)), rig.bare(launch)}), "");
    EXPECT_EQ(rig.ask(rig.epilog(launch)), "");
}

TEST(LaunchGate, RunsTheEpilogOfAJobThatTheNodesRebootHasEnded) {
    GateRig rig;
    const LaunchAttempt launch = rig.sign(rig.attempt());
    EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
    rig.boot_id = "boot-b";
    rig.reopen();
    EXPECT_EQ(rig.ask(rig.epilog(launch)), "");
    EXPECT_NE(rig.ask(StartAttempt{launch}), "");
    EXPECT_NE(rig.ask(StartStep{rig.sign(rig.step(launch)), rig.bare(launch)}), "");
}

TEST(LaunchGate, StartsNothingTwice) {
    for (const bool restarted : {false, true}) {
        GateRig rig;
        const LaunchAttempt launch = rig.sign(rig.attempt());
        EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
        EXPECT_EQ(rig.ask(RemoveAttempt{launch.job, launch.attempt}), "");
        if (restarted) rig.reopen();
        EXPECT_TRUE(says(rig.ask(StartAttempt{launch}), "is over on this node"));
        EXPECT_NE(rig.ask(rig.prolog(launch)), "");
        EXPECT_NE(rig.ask(StartStep{rig.sign(rig.step(launch)), rig.bare(launch)}), "");
        EXPECT_EQ(rig.ask(StartAttempt{rig.sign(rig.attempt(7, 2))}), "");
        EXPECT_TRUE(says(rig.ask(StartAttempt{launch}), "is later than"));
    }
}

// Even if the agent does not know the attempt any more, and its leftovers are removed.
TEST(LaunchGate, StartsNothingTwiceThatTheAgentDoesNotList) {
    GateRig rig;
    const LaunchAttempt launch = rig.sign(rig.attempt());
    EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
    rig.reopen();
    EXPECT_EQ(rig.ask(ListAttempts{}), "");
    rig.here.clear();
    EXPECT_TRUE(says(rig.ask(StartAttempt{launch}), "is over on this node"));
    rig.now += kCredentialLife + kClockSkewMax + Duration(1);
    EXPECT_EQ(rig.ask(ListAttempts{}), "");
    EXPECT_FALSE(rig.disk.kept.contains("job/7")) << "it is forgotten in the end";
}

// The launcher died after it had recorded the attempt and before it created its folder.
TEST(LaunchGate, StartsWhatWasEnteredAndNeverBegan) {
    GateRig rig;
    const LaunchAttempt launch = rig.sign(rig.attempt());
    EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
    rig.here.clear();
    rig.reopen();
    EXPECT_EQ(rig.ask(ListAttempts{{{launch.job, launch.attempt, kExternStep}}}), "");
    EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
}

// An agent leaves a running job out of its list: the job's devices stay taken.
TEST(LaunchGate, GivesNoDeviceAwayForAList) {
    GateRig rig;
    EXPECT_EQ(rig.ask(StartAttempt{rig.sign(rig.attempt(1))}), "");
    EXPECT_EQ(rig.ask(ListAttempts{}), "");
    EXPECT_TRUE(says(rig.ask(StartAttempt{rig.sign(rig.attempt(2))}), "holds devices 0-1"));
    rig.reopen();
    EXPECT_TRUE(says(rig.ask(StartAttempt{rig.sign(rig.attempt(2))}), "holds devices 0-1"));
}

TEST(LaunchGate, ForgetsAnAttemptOnceItsCredentialIsOfNoUse) {
    GateRig rig;
    const LaunchAttempt launch = rig.sign(rig.attempt());
    EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
    EXPECT_EQ(rig.ask(RemoveAttempt{launch.job, launch.attempt}), "");
    EXPECT_TRUE(rig.disk.kept.contains("job/7"));
    rig.now += kCredentialLife + kClockSkewMax + Duration(1);
    EXPECT_EQ(rig.ask(StartAttempt{rig.sign(rig.attempt(8))}), "");
    EXPECT_FALSE(rig.disk.kept.contains("job/7"));
    EXPECT_TRUE(says(rig.ask(StartAttempt{launch}), "it is old"));
}

TEST(LaunchGate, RefusesAControllerOfAnEarlierEpoch) {
    GateRig rig;
    const LaunchAttempt of_before = rig.sign(rig.attempt(1));
    rig.epoch = Epoch{4};
    EXPECT_EQ(rig.ask(StartAttempt{rig.sign(rig.attempt(2))}), "");
    EXPECT_EQ(rig.ask(RemoveAttempt{JobId{2}, Attempt{1}}), "");
    rig.reopen();
    EXPECT_TRUE(says(rig.ask(StartAttempt{of_before}), "epoch 4 has been heard of"));
}

TEST(LaunchGate, GivesNoDeviceToTwo) {
    GateRig rig;
    EXPECT_EQ(rig.ask(StartAttempt{rig.sign(rig.attempt(1))}), "");
    EXPECT_TRUE(says(rig.ask(StartAttempt{rig.sign(rig.attempt(2))}), "holds devices 0-1"));
    EXPECT_TRUE(says(rig.ask(StartAttempt{rig.sign(rig.attempt(1, 2))}), "is still on this node"));
    EXPECT_EQ(rig.ask(RemoveAttempt{JobId{1}, Attempt{1}}), "");
    EXPECT_EQ(rig.ask(StartAttempt{rig.sign(rig.attempt(2))}), "");
}

// An agent claims that a running job is over.
TEST(LaunchGate, GivesNoDeviceAwayBeforeItsProcessesAreGone) {
    GateRig rig;
    rig.busy = true;
    EXPECT_EQ(rig.ask(StartAttempt{rig.sign(rig.attempt(1))}), "");
    EXPECT_EQ(rig.ask(RemoveAttempt{JobId{1}, Attempt{1}}), "");
    EXPECT_TRUE(says(rig.ask(StartAttempt{rig.sign(rig.attempt(2))}), "holds devices 0-1"));
    EXPECT_TRUE(says(rig.ask(StartAttempt{rig.sign(rig.attempt(1, 2))}), "is still on this node"));
    rig.now += kCredentialLife + kClockSkewMax + Duration(1);
    EXPECT_EQ(rig.ask(RemoveAttempt{JobId{1}, Attempt{1}}), "");
    rig.reopen();
    EXPECT_TRUE(says(rig.ask(StartAttempt{rig.sign(rig.attempt(2))}), "holds devices 0-1"));
    rig.here.clear();
    EXPECT_EQ(rig.ask(StartAttempt{rig.sign(rig.attempt(2))}), "");
}

// Another attempt may have its devices by then.
TEST(LaunchGate, LetsInAnewWhatHadAPrologAlone) {
    GateRig rig;
    const LaunchAttempt first = rig.sign(rig.attempt(1));
    EXPECT_EQ(rig.ask(rig.prolog(first)), "");
    rig.lose(first.job, first.attempt);
    EXPECT_EQ(rig.ask(StartAttempt{rig.sign(rig.attempt(2))}), "");
    EXPECT_TRUE(says(rig.ask(StartAttempt{first}), "holds devices 0-1"));
    EXPECT_EQ(rig.ask(RemoveAttempt{JobId{2}, Attempt{1}}), "");
    rig.now += kCredentialLife + kClockSkewMax + Duration(1);
    EXPECT_TRUE(says(rig.ask(StartAttempt{first}), "it is old"));
    EXPECT_TRUE(says(rig.ask(rig.prolog(first)), "it is old"));
}

TEST(LaunchGate, RunsNobodyBelowTheLowestUser) {
    GateRig rig;
    LaunchAttempt launch = rig.attempt();
    launch.owner.uid = 999;
    EXPECT_TRUE(says(rig.ask(StartAttempt{rig.sign(launch)}), "1000 is the lowest"));
}

TEST(LaunchGate, RunsNoStepThatIsNotSignedOrIsAnotherJobs) {
    GateRig rig;
    const LaunchAttempt launch = rig.sign(rig.attempt(1));
    LaunchAttempt second = rig.attempt(2);
    second.share.devices = 0;
    const LaunchAttempt other = rig.sign(second);
    EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
    EXPECT_EQ(rig.ask(StartAttempt{other}), "");
    const LaunchStep step = rig.sign(rig.step(launch));
    LaunchStep altered = step;
    altered.arguments = {"/bin/sh", "-c", "id"};
    EXPECT_TRUE(says(rig.ask(StartStep{altered, rig.bare(launch)}), "not what the controller"));
    altered = step;
    altered.environment = {"LD_PRELOAD=/tmp/x.so"};
    EXPECT_NE(rig.ask(StartStep{altered, rig.bare(launch)}), "");
    altered = step;
    altered.step = StepId{5};
    EXPECT_NE(rig.ask(StartStep{altered, rig.bare(launch)}), "");
    EXPECT_TRUE(says(rig.ask(StartStep{step, rig.bare(other)}), "and not of attempt 1 of job 2"));
    LaunchAttempt as_root = rig.bare(launch);
    as_root.owner.uid = 0;
    EXPECT_NE(rig.ask(StartStep{step, as_root}), "");
    EXPECT_NE(rig.ask(StartStep{rig.step(launch), rig.bare(launch)}), "");
    const LaunchStep elsewhere = rig.sign(rig.step(launch), "gpu2");
    EXPECT_NE(rig.ask(StartStep{elsewhere, rig.bare(launch)}), "");
    EXPECT_EQ(rig.ask(StartStep{step, rig.bare(launch)}), "");
}

TEST(LaunchGate, RunsNoStepOfAnAttemptThatHasNotBegun) {
    GateRig rig;
    const LaunchAttempt launch = rig.sign(rig.attempt());
    const LaunchStep step = rig.sign(rig.step(launch));
    EXPECT_NE(rig.ask(StartStep{step, rig.bare(launch)}), "");
    EXPECT_EQ(rig.ask(rig.prolog(launch)), "");
    EXPECT_NE(rig.ask(StartStep{step, rig.bare(launch)}), "");
}

TEST(LaunchGate, TakesAHookForNoOtherRunThanItsOwn) {
    GateRig rig;
    const LaunchAttempt launch = rig.sign(rig.attempt());
    StartHook hook = rig.prolog(launch);
    hook.run.job = JobId{8};
    EXPECT_NE(rig.ask(hook), "");
    hook = rig.prolog(launch);
    hook.run.step = StepId{0};
    EXPECT_NE(rig.ask(hook), "");
}

TEST(LaunchGate, BeginsNoScriptBeforeItsPrologHasEndedWell) {
    GateRig rig;
    const LaunchAttempt launch = rig.sign(rig.attempt_with_prolog());
    const RunKey prolog{launch.job, launch.attempt, kPrologStep};
    EXPECT_TRUE(says(rig.ask(StartAttempt{launch}), "has not ended well"));
    EXPECT_TRUE(rig.disk.kept.empty());
    rig.hook_state = HookState::running;
    EXPECT_EQ(rig.ask(rig.prolog(launch)), "");
    EXPECT_TRUE(says(rig.ask(StartAttempt{launch}), "has not ended well"));
    rig.hooks[prolog] = HookState::failed;
    EXPECT_TRUE(says(rig.ask(StartAttempt{launch}), "has not ended well"));
    rig.hooks[prolog] = HookState::passed;
    EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
}

TEST(LaunchGate, RunsEachHookOnceAndNothingAfterTheEpilog) {
    GateRig rig;
    const LaunchAttempt launch = rig.sign(rig.attempt_with_prolog());
    const LaunchStep step = rig.sign(rig.step(launch));
    EXPECT_EQ(rig.ask(rig.prolog(launch)), "");
    EXPECT_TRUE(says(rig.ask(rig.prolog(launch)), "has begun on this node before"));
    EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
    rig.hooks.erase({launch.job, launch.attempt, kPrologStep});
    EXPECT_TRUE(says(rig.ask(rig.prolog(launch)), "was started on this node before"));
    EXPECT_EQ(rig.ask(StartStep{step, rig.bare(launch)}), "");
    EXPECT_EQ(rig.ask(rig.epilog(launch)), "");
    for (const HostAction& late :
         {HostAction(rig.prolog(launch)), HostAction(StartAttempt{launch}),
          HostAction(StartStep{step, rig.bare(launch)}), HostAction(rig.epilog(launch))})
        EXPECT_TRUE(says(rig.ask(late), "the epilog of attempt 1 of job 7 has begun"));
}

// A step that ended with its shepherd's death, without a report, may be asked for again.
TEST(LaunchGate, RunsAHookAgainOfWhichNothingIsKnown) {
    GateRig rig;
    rig.hook_state = HookState::none;
    const LaunchAttempt launch = rig.sign(rig.attempt_with_prolog());
    EXPECT_EQ(rig.ask(rig.prolog(launch)), "");
    EXPECT_EQ(rig.ask(rig.prolog(launch)), "");
    EXPECT_EQ(rig.ask(rig.epilog(launch)), "");
    EXPECT_EQ(rig.ask(rig.epilog(launch)), "");
}

TEST(LaunchGate, RunsTheSitesProgramsAsSignedAndEachOrderOnce) {
    GateRig rig;
    const RunNodeProgram wanted{NodeProgram::reboot, "/sbin/reboot", std::chrono::seconds(60)};
    const RunNodeProgram order = rig.sign(wanted);
    RunNodeProgram altered = order;
    altered.path = "/tmp/evil";
    EXPECT_NE(rig.ask(StartNodeProgram{altered}), "");
    EXPECT_NE(rig.ask(StartNodeProgram{wanted}), "");
    EXPECT_EQ(rig.ask(StartNodeProgram{order}), "");
    rig.reopen();
    EXPECT_TRUE(says(rig.ask(StartNodeProgram{order}), "was obeyed before"));
    rig.now += std::chrono::seconds(1);
    EXPECT_EQ(rig.ask(StartNodeProgram{rig.sign(wanted)}), "");
}

// No kind of order is ever read as another, however similar the bytes.
TEST(LaunchGate, TakesACredentialForNoOtherKindOfOrder) {
    GateRig rig;
    LaunchAttempt launch = rig.attempt();
    launch.credential = rig.sign(rig.step(launch)).credential;
    EXPECT_TRUE(says(rig.ask(StartAttempt{launch}), "another kind"));
    RunNodeProgram program{NodeProgram::health_check, "/bin/true", {}};
    program.credential = rig.sign(rig.attempt()).credential;
    EXPECT_TRUE(says(rig.ask(StartNodeProgram{program}), "another kind"));
}

TEST(LaunchGate, SendsNoSignalThatIsNone) {
    GateRig rig;
    const RunKey run{JobId{1}, Attempt{1}, kExternStep};
    EXPECT_EQ(rig.ask(SignalRun{run, 9, true}), "");
    EXPECT_NE(rig.ask(SignalRun{run, 0, true}), "");
    EXPECT_NE(rig.ask(SignalRun{run, 65, true}), "");
}

TEST(LaunchLedger, RefusesToOpenWhatItCannotRead) {
    MapDisk disk;
    disk.kept["job/7"] = "garbage";
    EXPECT_FALSE(LaunchLedger::open(disk, disk.stored()).ok());
}

}  // namespace
}  // namespace berth
