// A partition that an administrator gives another tier: its jobs pass planned starts, or wait
// behind others.
#include <gtest/gtest.h>

#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

using std::chrono::hours, std::chrono::minutes;

// Partitions "a" and "b" of one node. A job of "a" runs on all its GPUs for an hour; one of "a" and
// one of "b" wait, each for all GPUs, in this order.
class OtherTiers : public ::testing::Test {
protected:
    OtherTiers() : engine(testing::make_engine(spec(), kNow)) {
        submit("a");
        engine.cycle(kNow, kBudget);
        in_a = submit("a");
        in_b = submit("b");
        engine.cycle(kNow, kBudget);
        EXPECT_LT(planned(in_a), planned(in_b));
    }
    static ClusterSpec spec() {
        ClusterSpec spec =
            testing::make_cluster(1, {.sockets = 1, .cores_per_socket = 8, .gpus = 4});
        spec.partitions = {{.name = "a", .nodes = {NodeId(0)}, .is_default = true},
                           {.name = "b", .nodes = {NodeId(0)}}};
        return spec;
    }
    JobId submit(const std::string& partition) {
        JobSpec job = testing::make_job({.gpus = 4, .limit = hours(1)});
        job.partition = partition;
        return testing::submit(engine, kNow, job);
    }
    Time planned(JobId job) const { return engine.state().schedule().planned(job)->start; }
    void edit_tier(const std::string& partition, std::int64_t tier) {
        PartitionEdit edit{.name = partition};
        edit.change.priority_tier = tier;
        engine.apply(later, ClusterEdited{{.partitions = {edit}, .nodes = {}}});
    }
    void expect_in_order(JobId first, JobId second) {
        engine.cycle(later, kBudget);
        EXPECT_EQ(planned(first), kNow + hours(1));
        EXPECT_GE(planned(second), kNow + hours(2));
    }

    const Time later = kNow + minutes(1);
    Engine engine;
    JobId in_a{0}, in_b{0};
};

TEST_F(OtherTiers, AHigherOnePassesPlannedStarts) {
    edit_tier("b", 5);
    expect_in_order(in_b, in_a);
    edit_tier("a", 9);
    expect_in_order(in_a, in_b);
}

TEST_F(OtherTiers, ALowerOneWaitsBehind) {
    edit_tier("a", 0);
    expect_in_order(in_b, in_a);
}

TEST_F(OtherTiers, ThatTheConfigurationNamesCountAsWell) {
    ClusterSpec other = spec();
    other.partitions[1].priority_tier = 5;
    engine.apply(later, SpecInstalled{other});
    expect_in_order(in_b, in_a);
}

TEST_F(OtherTiers, ThatAreTheSameMoveNothing) {
    ClusterSpec other = spec();
    other.partitions[1].max_time = hours(5);
    engine.apply(later, SpecInstalled{other});
    edit_tier("b", 1);
    expect_in_order(in_a, in_b);
}

}  // namespace
}  // namespace berth
