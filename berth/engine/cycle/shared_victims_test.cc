// Runs that take turns are no victims, also those that began to only in this cycle.
#include "berth/engine/cycle/lending_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

class SharedVictims : public LentCores {
protected:
    static ClusterSpec cluster(std::string oversubscribe, PreemptMode mode, std::uint32_t gpus) {
        ClusterSpec spec =
            testing::make_cluster(2, {.sockets = 1, .cores_per_socket = 8, .gpus = gpus});
        spec.scheduling.preemption = {.by = PreemptBy::qos, .mode = mode};
        spec.scheduling.preemption.gang = true;
        spec.partitions.front().oversubscribe = std::move(oversubscribe);
        spec.qos.push_back({.name = "high", .priority = 10, .preempt = {"normal"}});
        return spec;
    }
    explicit SharedVictims(ClusterSpec spec = cluster("YES:2", PreemptMode::requeue, 2))
        : LentCores(std::move(spec)) {}
    static JobSpec of(const testing::JobOptions& options, bool high) {
        JobSpec spec = testing::make_job(options);
        if (high) spec.qos = "high";
        spec.request.edit().oversubscribe = !high;
        return spec;
    }
};

// The first of those ahead has listed whom they may preempt before the run was shared.
TEST_F(SharedVictims, WhatIsSharedSinceThisCycleIsNotPreempted) {
    const JobId first = run("main", of({.cpus = 8, .limit = 1h}, false));
    run("main", of({.cpus = 8, .limit = 10h}, true));
    submit("main", of({.nodes = 2, .cpus = 8, .limit = 1h}, true));
    JobSpec sharing = of({.cpus = 4, .limit = 1h}, true);
    sharing.request.edit().oversubscribe = true;
    const JobId second = submit("main", sharing);
    const JobId third = submit("main", of({.cpus = 4, .limit = 30min}, true));
    pass(1s);
    ASSERT_TRUE(job(second).awaits_turn());
    EXPECT_EQ(job(first).state, JobState::running);
    EXPECT_EQ(job(third).state, JobState::pending);
    EXPECT_FALSE(engine.state().schedule().preemptor_holds().contains(third));
}

class WholeVictims : public SharedVictims {
protected:
    WholeVictims() : SharedVictims(cluster("NO", PreemptMode::suspend, 0)) {}
};

// A whole node is not shared by turns: its run stands still until the preemptor has ended.
TEST_F(WholeVictims, ARunWithAWholeNodeTakesNoTurns) {
    std::vector<JobId> whole;
    for (int i = 0; i < 2; ++i) {
        JobSpec spec = of({.cpus = 1, .limit = 10h}, false);
        spec.request.edit().exclusive = true;
        whole.push_back(run("main", spec));
    }
    const JobId high = submit("main", of({.cpus = 1, .limit = 1h}, true));
    pass(1s);
    EXPECT_EQ(job(high).state, JobState::pending) << "It waits until a run stands still.";
    EXPECT_EQ(std::ranges::count_if(whole, [&](JobId id) { return job(id).awaits_turn(); }), 0);
    EXPECT_EQ(std::ranges::count_if(whole, [&](JobId id) { return job(id).is_suspended(); }), 1);
}

}  // namespace
}  // namespace berth
