// What `berth why` tells a job that preempts by suspension, or would if that helped.
#include <gtest/gtest.h>

#include <algorithm>

#include "berth/engine/explain/explain.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

class LendingWhy : public ::testing::Test {
protected:
    static ClusterSpec cluster() {
        ClusterSpec spec =
            testing::make_cluster(1, {.sockets = 1, .cores_per_socket = 8, .gpus = 2});
        spec.scheduling.preemption.by = PreemptBy::partition;
        spec.scheduling.preemption.mode = PreemptMode::suspend;
        PartitionSpec high = spec.partitions.front();
        high.name = "high";
        high.is_default = false;
        high.priority_tier = 5;
        spec.partitions.push_back(high);
        return spec;
    }
    JobId submit(const std::string& partition, const testing::JobOptions& options) {
        JobSpec spec = testing::make_job(options);
        if (partition != "main") spec.partition = partition;
        const JobId id = testing::submit(engine, now, spec);
        now += 1s;
        for (int i = 0; i < 9 && !engine.cycle(now, kBudget).complete; ++i) {
        }
        return id;
    }
    bool says(JobId id, const std::string& text) {
        const Explanation why = explain(engine, now, id);
        return std::ranges::any_of(why.blockers, [&](const Blocker& one) {
            return one.text.find(text) != std::string::npos;
        });
    }

    Time now = at(1000);
    Engine engine = testing::make_engine(cluster(), at(0));
};

TEST_F(LendingWhy, NamesTheRunsThatAreToStandStill) {
    const JobId low = submit("main", {.cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 8});
    EXPECT_TRUE(says(high, "It waits for all nodes of job " + to_string(low)));
    engine.apply(now, JobFrozen{low, Attempt(1), 1});
    EXPECT_TRUE(says(high, "Suspended for it: job " + to_string(low)));
}

TEST_F(LendingWhy, KnowsARunThatIsKilledWhereItStands) {
    const JobId low = submit("main", {.cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 8});
    engine.apply(now, JobFrozen{low, Attempt(1), 1});
    engine.apply(now, EndJob{.job = low, .outcome = JobState::cancelled});
    EXPECT_FALSE(says(high, "Suspended for it"));
    EXPECT_TRUE(says(high, "It waits for job " + to_string(low) + ", which it preempts, to end"));
}

// It would be enough.
TEST_F(LendingWhy, SaysWhyARunIsNotSuspendedAgain) {
    const JobId low = submit("main", {.cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 8});
    now += engine.state().spec().scheduling.preemption.hold_timeout;
    for (int i = 0; i < 9 && !engine.cycle(now, kBudget).complete; ++i) {
    }
    ASSERT_FALSE(engine.state().find_job(low)->is_suspended());
    EXPECT_FALSE(says(high, "is not enough"));
    EXPECT_TRUE(says(high, "It may not preempt job " + to_string(low) + ": suspended before"));
    EXPECT_TRUE(says(high, "Runs have stood still for it in vain"));
    engine.apply(now, JobFrozen{low, Attempt(1), 2});
    EXPECT_FALSE(says(high, "is not enough"));
    EXPECT_FALSE(says(high, "It may not preempt job " + to_string(low)));
}

TEST_F(LendingWhy, SaysWhenSuspensionIsNotEnough) {
    const JobId low = submit("main", {.gpus = 2, .cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.gpus = 1});
    EXPECT_TRUE(says(high, "To preempt job " + to_string(low) +
                               " is not enough: what is suspended lends its cores"));
}

}  // namespace
}  // namespace berth
