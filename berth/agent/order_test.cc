// Which orders an agent accepts, and what it sends when.
#include "berth/agent/agent_rig.h"

namespace berth {
namespace {

struct GateCase {
    const char* what;
    AgentProtections without;
    Order order;
    bool taken;
};

Order launch_order(Epoch epoch, const std::string& boot, std::uint64_t session) {
    return {epoch, boot, session, launch_of(7, 1)};
}

// The protections `epochs`, `boot_ids` and `sessions`: each on its own, with the checks of the two
// others satisfied.
TEST(Orders, AreDroppedWhenStale) {
    AgentProtections epochs, boots, sessions;
    epochs.epochs = false;
    boots.boot_ids = false;
    sessions.sessions = false;
    const std::vector<GateCase> cases = {
        {"all as it should be", {}, launch_order(Epoch{5}, "boot-1", 1), true},
        {"a later term", {}, launch_order(Epoch{6}, "boot-1", 1), true},
        {"an earlier term", {}, launch_order(Epoch{4}, "boot-1", 1), false},
        {"another boot", {}, launch_order(Epoch{5}, "boot-0", 1), false},
        {"an earlier registration", {}, launch_order(Epoch{5}, "boot-1", 0), false},
        {"a registration to come", {}, launch_order(Epoch{5}, "boot-1", 2), false},
        {"unprotected: term", epochs, launch_order(Epoch{4}, "boot-1", 1), true},
        {"unprotected: boot", boots, launch_order(Epoch{5}, "boot-0", 1), true},
        {"unprotected: session", sessions, launch_order(Epoch{5}, "boot-1", 0), true},
    };
    for (const GateCase& one : cases) {
        AgentRig rig(one.without);
        rig.epoch = Epoch{5};
        rig.welcome();
        ASSERT_EQ(rig.session, 1U);
        rig.send(one.order);
        EXPECT_EQ(!rig.acted<StartAttempt>().empty(), one.taken) << one.what;
    }
}

TEST(Orders, OverALinkThatIsNotTheCurrentOneAreDropped) {
    AgentRig rig;
    rig.welcome();
    rig.link_up();
    rig.feed({OrderCame{rig.link - 1, {rig.epoch, rig.boot, rig.session, launch_of(7, 1)}}});
    EXPECT_TRUE(rig.acted<StartAttempt>().empty());
    EXPECT_EQ(rig.closed, (std::vector<std::uint64_t>{1})) << "The older link is cut.";
}

TEST(Epochs, AreRememberedOverARestart) {
    AgentRig rig;
    rig.epoch = Epoch{5};
    rig.welcome();
    rig.start("boot-1");
    rig.link_up();
    EXPECT_EQ(rig.registration.highest_epoch, Epoch{5});
    rig.epoch = Epoch{4};
    rig.welcome();
    rig.launch(launch_of(7, 1));
    EXPECT_TRUE(rig.acted<StartAttempt>().empty());
}

TEST(Sessions, NeverRepeat) {
    AgentRig rig;
    std::uint64_t last = 0;
    for (const char* boot : {"boot-1", "boot-1", "boot-2"}) {
        rig.start(boot);
        for (int i = 0; i < 3; ++i) {
            rig.link_up();
            EXPECT_GT(rig.session, last);
            last = rig.session;
        }
    }
}

TEST(Links, CarryNothingBetweenRegistrationAndWelcome) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_of(7, 1));
    rig.link_up();
    rig.forget_past();
    rig.feed({RunStarted{batch_of(7)}});
    rig.feed({RunExited{batch_of(7)}, RunEmpty{all_of(7)}});
    rig.wait(std::chrono::seconds(20));
    EXPECT_TRUE(rig.reports.empty());
    rig.welcome();
    ASSERT_EQ(rig.reports.size(), 2U) << "What happened meanwhile, in order.";
    EXPECT_EQ(rig.reported<AttemptStarted>().size(), 1U);
    EXPECT_EQ(rig.reported<AttemptReport>().size(), 1U);
}

TEST(Links, AreGivenUpWhenNoWelcomeComes) {
    AgentRig rig;
    rig.link_up();
    EXPECT_EQ(rig.wake_at, rig.now + std::chrono::seconds(30));
    rig.wait(std::chrono::seconds(30));
    EXPECT_EQ(rig.closed, (std::vector<std::uint64_t>{rig.link}));
    rig.link_up();
    rig.welcome();
    rig.wait(std::chrono::seconds(300));
    EXPECT_EQ(rig.closed.size(), 1U);
}

TEST(Links, BeatAtTheWelcomesRate) {
    AgentRig rig;
    rig.welcome();
    rig.forget_past();
    for (int second = 0; second < 300; ++second) rig.wait(std::chrono::seconds(1));
    EXPECT_EQ(rig.reported<Heartbeat>().size(), 10U);
    EXPECT_EQ(rig.reports.size(), 10U);
}

TEST(Links, TakeTheReadingsAlong) {
    AgentRig rig;
    rig.welcome();
    rig.forget_past();
    for (int second = 0; second < 60; ++second) {
        rig.feed({GpusRead{{{.gpu = 0, .utilisation = second}}}});
        rig.wait(std::chrono::seconds(1));
        // Other reports do not replace a heartbeat that carries readings.
        if (second % 10 == 0) rig.run(launch_of(static_cast<std::uint32_t>(second + 1), 1));
    }
    const std::vector<Heartbeat> beats = rig.reported<Heartbeat>();
    ASSERT_EQ(beats.size(), 2U);
    ASSERT_EQ(beats[1].gpus.size(), 1U);
    EXPECT_GE(beats[1].gpus[0].utilisation - beats[0].gpus.at(0).utilisation, 29);
}

TEST(Links, BeatOnThoughTheClockGoesBack) {
    AgentRig rig;
    rig.welcome();
    rig.now -= std::chrono::hours(1);
    rig.feed({});
    EXPECT_LE(*rig.wake_at, rig.now + std::chrono::seconds(30));
    rig.forget_past();
    for (int second = 0; second < 60; ++second) rig.wait(std::chrono::seconds(1));
    EXPECT_EQ(rig.reported<Heartbeat>().size(), 2U);
}

TEST(Links, RegisterTheWholeInventoryAtOnce) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1, 0));
    rig.run(launch_of(8, 1, 1));
    rig.order(LaunchStep{.job = JobId{8}, .attempt = Attempt{1}, .step = StepId{0}});
    rig.feed({RunStarted{step_of(8, 0)}});
    rig.run(launch_of(9, 1, 2));
    rig.feed({RunExited{batch_of(9), {3, 0}}, RunEmpty{all_of(9)}});
    rig.link_up();
    const Registration& all = rig.registration;
    ASSERT_EQ(all.attempts.size(), 3U);
    EXPECT_TRUE(all.attempts[0].live && all.attempts[1].live);
    EXPECT_EQ(all.attempts[1].live_steps, (std::vector<StepId>{StepId{0}}));
    EXPECT_FALSE(all.attempts[2].live);
    EXPECT_EQ(all.attempts[2].batch_exit, (ExitStatus{3, 0}));
    EXPECT_EQ(all.node, "gpu1");
    EXPECT_EQ(rig.reports.back().report.session, rig.session);
}

// The protection `spool`.
TEST(Spool, RepeatsEndsUntilTheyAreAcknowledged) {
    for (const bool spool : {true, false}) {
        AgentRig rig(AgentProtections{.spool = spool});
        rig.welcome();
        rig.run(launch_of(7, 1));
        rig.feed({RunExited{batch_of(7)}, RunEmpty{all_of(7)}});
        EXPECT_EQ(rig.reported<AttemptReport>().size(), 1U);
        for (int i = 0; i < 3; ++i) rig.wait(std::chrono::seconds(15));
        EXPECT_EQ(rig.reported<AttemptReport>().size(), spool ? 4U : 1U);
        rig.start("boot-2");
        rig.link_up();
        EXPECT_EQ(rig.registration.attempts.size(), spool ? 1U : 0U);
        rig.welcome();
        rig.order(AcknowledgeEnd{JobId{7}, Attempt{1}, std::nullopt});
        rig.forget_past();
        rig.wait(std::chrono::seconds(15));
        EXPECT_TRUE(rig.reported<AttemptReport>().empty());
        EXPECT_FALSE(rig.remembers("end."));
    }
}

TEST(Spool, IsNotDroppedByAnAcknowledgementOfAnotherAttempt) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 2));
    rig.feed({RunExited{batch_of(7, 2)}, RunEmpty{all_of(7, 2)}});
    rig.order(AcknowledgeEnd{JobId{7}, Attempt{1}, std::nullopt});
    rig.order(AcknowledgeEnd{JobId{7}, Attempt{2}, StepId{0}});
    EXPECT_TRUE(rig.remembers("end.7.2"));
}

}  // namespace
}  // namespace berth
