// How many tombstones an agent keeps while one link stays up, and when it may drop them.
#include "berth/agent/agent_rig.h"

namespace berth {
namespace {

constexpr AgentLimits kFew{.tombstones = 4};

std::size_t tombstones(const AgentRig& rig) {
    return static_cast<std::size_t>(std::ranges::count_if(
        rig.disk, [](const auto& entry) { return entry.first.starts_with("tombstone."); }));
}

void acknowledge_end(AgentRig& rig, std::uint32_t job) {
    rig.order(AcknowledgeEnd{JobId{job}, Attempt{1}, std::nullopt});
}

// Runs a job from its launch to the acknowledged end.
void run_through(AgentRig& rig, std::uint32_t job) {
    rig.run(launch_of(job, 1));
    rig.feed({RunExited{batch_of(job)}, RunEmpty{all_of(job)}});
    acknowledge_end(rig, job);
}

// The welcome of a controller for which all jobs from `oldest` on are live, except `over`.
void answer(AgentRig& rig, JobId oldest, std::vector<JobId> over = {}) {
    Welcome body;
    body.oldest_live_job = oldest;
    body.over = std::move(over);
    rig.order(body);
}

struct Controller {
    const char* what;
    // Sends the welcome after `ended` jobs; the first of them is still live.
    void (*answers)(AgentRig& rig, std::uint32_t ended);
    std::size_t most_tombstones;
    std::size_t most_registrations;  // In 200 jobs, the first one included.
};

TEST(Tombstones, StayFewWhileOneLinkStaysUp) {
    const std::vector<Controller> controllers = {
        {"all jobs are over",
         [](AgentRig& rig, std::uint32_t ended) { answer(rig, JobId{ended + 1}); }, 5, 51},
        {"the oldest job is live, and the others are over",
         [](AgentRig& rig, std::uint32_t) { answer(rig, JobId{1}, rig.registration.tombstones); },
         5, 51},
        {"all jobs are live: it must not ask at every turn",
         [](AgentRig& rig, std::uint32_t) { answer(rig, JobId{1}); }, 200, 8},
    };
    for (const Controller& controller : controllers) {
        AgentRig rig({}, kFew);
        rig.welcome();
        std::size_t most = 0, registrations = 1;
        for (std::uint32_t job = 1; job <= 200; ++job) {
            const std::uint64_t before = rig.session;
            run_through(rig, job);
            most = std::max(most, tombstones(rig));
            if (rig.session == before) continue;
            ++registrations;
            controller.answers(rig, job);
            acknowledge_end(rig, job);  // Before the welcome the agent could not accept it.
        }
        EXPECT_LE(most, controller.most_tombstones) << controller.what;
        EXPECT_LE(registrations, controller.most_registrations) << controller.what;
        EXPECT_GT(registrations, 1U) << controller.what;
        EXPECT_TRUE(rig.closed.empty()) << controller.what;
        EXPECT_EQ(rig.link, 1U) << controller.what;
    }
}

TEST(Tombstones, GoOnlyWithARegistrationThatMakesEarlierOrdersStale) {
    AgentRig rig({}, kFew);
    rig.welcome();
    const std::uint64_t before = rig.session;
    for (std::uint32_t job = 1; job <= 5; ++job) run_through(rig, job);
    ASSERT_GT(rig.session, before);
    EXPECT_TRUE(rig.remembers("tombstone.1")) << "Nobody has said yet that it may go.";
    acknowledge_end(rig, 5);
    answer(rig, JobId{6});
    EXPECT_FALSE(rig.remembers("tombstone.1"));
    rig.forget_past();
    rig.send({rig.epoch, rig.boot, before, launch_of(1, 1)});
    EXPECT_TRUE(rig.acted<StartAttempt>().empty());
}

TEST(Tombstones, OfJobsThatAreLiveOrSpooledAreKeptThoughTheyAreSaidToBeOver) {
    AgentRig rig({}, kFew);
    rig.welcome();
    rig.run(launch_of(1, 1, 1));
    rig.run(launch_of(2, 1, 2));
    rig.feed({RunExited{batch_of(2)}, RunEmpty{all_of(2)}});
    for (std::uint32_t job = 3; job <= 5; ++job) run_through(rig, job);
    answer(rig, JobId{1}, {JobId{1}, JobId{2}, JobId{3}});
    EXPECT_TRUE(rig.remembers("tombstone.1"));
    EXPECT_TRUE(rig.remembers("tombstone.2"));
    EXPECT_FALSE(rig.remembers("tombstone.3"));
    EXPECT_TRUE(rig.remembers("tombstone.4"));
}

// A job that was over at the registration may run again, and a welcome may arrive twice.
TEST(Tombstones, DoNotGoWithTheRepetitionOfAWelcome) {
    AgentRig rig;
    rig.welcome();
    run_through(rig, 1);
    rig.link_up();
    rig.welcome(JobId{2});
    ASSERT_FALSE(rig.remembers("tombstone.1"));
    rig.run(launch_of(1, 2));
    rig.feed({RunExited{batch_of(1, 2)}, RunEmpty{all_of(1, 2)}});
    rig.order(AcknowledgeEnd{JobId{1}, Attempt{2}, std::nullopt});
    rig.welcome(JobId{2});
    rig.forget_past();
    rig.launch(launch_of(1, 2));
    EXPECT_TRUE(rig.acted<StartAttempt>().empty());
}

TEST(Tombstones, WaitForAWelcomeBeforeTheyAreToldOfAgain) {
    AgentRig rig({}, kFew);
    rig.welcome();
    for (std::uint32_t job = 1; job <= 5; ++job) run_through(rig, job);
    rig.forget_past();
    for (int second = 0; second < 20; ++second) rig.wait(std::chrono::seconds(1));
    EXPECT_TRUE(rig.reported<Registration>().empty());
    rig.wait(std::chrono::seconds(10));
    EXPECT_EQ(rig.closed, (std::vector<std::uint64_t>{1})) << "No welcome: the link is given up.";
}

// Events in the turn of the registration are reported after the welcome.
TEST(Tombstones, OverTheirBoundLoseNoReport) {
    AgentRig rig({}, kFew);
    rig.welcome();
    for (std::uint32_t job = 1; job <= 4; ++job) run_through(rig, job);
    rig.forget_past();
    const std::uint64_t before = rig.session;
    rig.run(launch_of(5, 1));
    ASSERT_GT(rig.session, before);
    ASSERT_EQ(rig.registration.attempts.size(), 1U);
    EXPECT_TRUE(rig.registration.attempts[0].live);
    rig.feed({RunExited{batch_of(5)}, RunEmpty{all_of(5)}});
    EXPECT_TRUE(rig.reported<AttemptReport>().empty());
    rig.welcome();
    EXPECT_EQ(rig.reported<AttemptReport>().size(), 1U);
}

}  // namespace
}  // namespace berth
