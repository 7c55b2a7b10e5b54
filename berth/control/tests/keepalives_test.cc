// InactiveLimit: interactive jobs whose salloc or srun is gone.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

ClusterSpec with_limit(Duration limit) {
    ClusterSpec spec = testing::make_cluster(1);
    spec.scheduling.inactive_limit = limit;
    return spec;
}

JobSpec interactive_job(bool attended = true) {
    JobSpec spec = testing::make_job({});
    spec.command.edit().interactive = true;
    spec.command.edit().attended = attended;
    return spec;
}

class KeepalivesTest : public ::testing::Test {
protected:
    explicit KeepalivesTest(Duration limit = 60s) : rig(with_limit(limit)) { rig.connect_all(); }

    std::uint32_t run(JobSpec spec) {
        const Answer answer = rig.ask(kAnn, SubmitJob{std::move(spec), {}, {}});
        const std::uint32_t id = std::get<Submitted>(answer).job.value();
        rig.started(0, id);
        return id;
    }
    Answer alive(std::uint32_t id, const Principal& who = kAnn) {
        return rig.ask(who, KeepAlive{{JobId(id), {}}});
    }
    // The node sends heartbeats meanwhile.
    void pass(Duration time) {
        rig.now += time;
        rig.report(0, Heartbeat{});
    }

    ControlRig rig;
};

TEST_F(KeepalivesTest, EndsAJobWhoseClientIsSilent) {
    const std::uint32_t id = run(interactive_job());
    EXPECT_LE(rig.last.wake_at, rig.now + 60s);
    pass(59s);
    EXPECT_EQ(std::get<KeptAlive>(alive(id)).again_in, 20s);
    pass(59s);
    EXPECT_EQ(rig.job(id).state, JobState::running);
    pass(1s);
    EXPECT_EQ(rig.job(id).outcome, JobState::timeout);
    EXPECT_EQ(std::string(rig.job(id).state_reason), "InactiveLimit");
}

TEST_F(KeepalivesTest, LeavesAloneWhatNobodyAttends) {
    const std::uint32_t without = run(interactive_job(false));
    const std::uint32_t batch = rig.run();
    pass(24min);
    EXPECT_EQ(rig.job(without).state, JobState::running);
    EXPECT_EQ(rig.job(batch).state, JobState::running);
}

TEST_F(KeepalivesTest, ARestartedControllerCountsAnew) {
    const std::uint32_t id = run(interactive_job());
    pass(50s);
    rig.restart();
    rig.connect(0, {live_report(id)});
    pass(50s);
    EXPECT_EQ(rig.job(id).state, JobState::running);
    pass(10s);
    EXPECT_EQ(rig.job(id).outcome, JobState::timeout);
}

TEST_F(KeepalivesTest, OnlyItsOwnerSpeaksForIt) {
    const std::uint32_t id = run(interactive_job());
    EXPECT_EQ(why(alive(id, kBob)), Refusal::not_allowed);
    EXPECT_EQ(why(alive(77)), Refusal::unknown_job);
}

class NoLimit : public KeepalivesTest {
protected:
    NoLimit() : KeepalivesTest(Duration{}) {}
};

TEST_F(NoLimit, NobodyIsEnded) {
    const std::uint32_t id = run(interactive_job());
    EXPECT_EQ(std::get<KeptAlive>(alive(id)).again_in, 60s);
    pass(30min);
    EXPECT_EQ(rig.job(id).state, JobState::running);
}

}  // namespace
}  // namespace berth
