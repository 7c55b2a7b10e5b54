#include "berth/slurm/admin/scontrol_partition.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

using Strings = std::vector<std::string>;

TEST(ScontrolPartition, ReadsWhatSlurmWrites) {
    const auto call =
        parse_partition({"PartitionName=night", "Nodes=gpu[1-2]", "Default=YES", "MaxTime=2:00:00",
                         "DefaultTime=NONE", "MaxNodes=UNLIMITED", "MinNodes=1", "State=down",
                         "DefMemPerCPU=2048", "AllowAccounts=Bio,physics", "AllowQos=ALL",
                         "PriorityTier=7", "OverSubscribe=EXCLUSIVE", "Hidden=no"});
    ASSERT_TRUE(call.ok()) << call.error().message;
    EXPECT_EQ(call->name, "night");
    const PartitionChange& change = call->change;
    EXPECT_EQ(change.nodes, (Strings{"gpu1", "gpu2"}));
    EXPECT_EQ(change.is_default, true);
    EXPECT_EQ(change.max_time, "2:00:00");
    EXPECT_EQ(change.default_time, "NONE");
    EXPECT_EQ(change.max_nodes, -1);
    EXPECT_EQ(change.min_nodes, 1U);
    EXPECT_EQ(change.state, "DOWN");
    EXPECT_EQ(change.default_memory_per_cpu, std::int64_t{2048} << 20);
    EXPECT_EQ(change.allow_accounts, (Strings{"bio", "physics"}));
    EXPECT_EQ(change.allow_qos, Strings{});
    EXPECT_EQ(change.priority_tier, 7);
    EXPECT_FALSE(change.priority_job_factor);
    EXPECT_EQ(change.exclusive, true);
    EXPECT_EQ(change.hidden, false);
}

TEST(ScontrolPartition, AddsAndTakesAwayNodes) {
    const auto call = parse_partition({"Partition=night", "Nodes+=gpu3", "Nodes-=gpu[1-2]"});
    ASSERT_TRUE(call.ok());
    EXPECT_FALSE(call->change.nodes);
    EXPECT_EQ(call->change.nodes_added, Strings{"gpu3"});
    EXPECT_EQ(call->change.nodes_removed, (Strings{"gpu1", "gpu2"}));
}

TEST(ScontrolPartition, FindsTheNameInEitherSpelling) {
    EXPECT_EQ(partition_named({"update", "State=UP", "PartitionName=a"}), "a");
    EXPECT_EQ(partition_named({"partition=b"}), "b");
    EXPECT_EQ(partition_named({"NodeName=b"}), "");
}

TEST(ScontrolPartition, RefusesInSlurmsWords) {
    struct Case {
        const char* word;
        const char* says;
    };
    const Case cases[] = {
        {"Foo=1",
         "Update of this parameter is not supported: Foo=1\n\nscontrol: error: Request aborted"},
        {"State=FOO",
         "Invalid input: State=FOO\nscontrol: error: Acceptable State values are UP, DOWN, DRAIN "
         "and INACTIVE"},
        {"MaxTime=abc", "Invalid input MaxTime=abc"},
        {"Default=maybe", "Invalid input Default=maybe"},
        {"MaxNodes=-3", "Invalid input MaxNodes=-3"},
        {"PriorityTier=70000", "Invalid input PriorityTier=70000"},
        {"ExclusiveUser=YES", "ExclusiveUser is not supported yet"},
        {"TRESBillingWeights=CPU=1", "TRESBillingWeights is not supported yet"},
        {"OverSubscribe=MAYBE",
         "OverSubscribe=MAYBE should be NO, EXCLUSIVE, YES or FORCE; :N behind the last two, from "
         "1 to 64"},
        {"PreemptMode=GANG",
         "PreemptMode=GANG: GANG goes with SUSPEND here; that jobs take turns is set for the "
         "cluster, by PreemptMode=GANG in slurm.conf"},
        {"PreemptMode=sometimes",
         "PreemptMode=sometimes should be OFF, CANCEL, REQUEUE, SUSPEND or CHECKPOINT, and WITHIN "
         "beside one of these"},
        {"MaxTime+=5",
         "Update of this parameter is not supported: MaxTime+=5\n\nscontrol: error: Request "
         "aborted"},
    };
    for (const Case& one : cases) {
        const auto call = parse_partition({"PartitionName=a", one.word});
        ASSERT_FALSE(call.ok()) << one.word;
        EXPECT_EQ(call.error().message, one.says);
    }
}

}  // namespace
}  // namespace berth::slurm
