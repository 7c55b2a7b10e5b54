// PartitionName lines of slurm.conf.
#include <gtest/gtest.h>

#include "berth/config/config_rig.h"

namespace berth::config {
namespace {

Loaded load_partition(const std::string& line, const std::string& globals = {}) {
    const std::string text = "ClusterName=x\n" + globals +
                             "NodeName=n1 CPUs=8\nPartitionName=main Nodes=n1 " + line + "\n";
    return load_slurm(text.c_str());
}

TEST(PartitionLine, OverridesTheMemoryThatSlurmConfGivesAllPartitions) {
    const std::string all = "DefMemPerCPU=100\nMaxMemPerNode=3000\n";
    EXPECT_EQ(load_partition("", all).spec.partitions[0].default_memory_per_cpu, mib(100));
    EXPECT_EQ(load_partition("", all).spec.partitions[0].max_memory_per_node, mib(3000));
    EXPECT_EQ(load_partition("DefMemPerCPU=7", all).spec.partitions[0].default_memory_per_cpu,
              mib(7));
    const Loaded other = load_partition("DefMemPerNode=7", all);
    EXPECT_EQ(other.spec.partitions[0].default_memory_per_node, mib(7));
    EXPECT_EQ(other.spec.partitions[0].default_memory_per_cpu, std::nullopt);
    const Loaded none = load_partition("DefMemPerCPU=0 MaxMemPerNode=UNLIMITED", all);
    EXPECT_EQ(none.spec.partitions[0].default_memory_per_cpu, std::nullopt);
    EXPECT_EQ(none.spec.partitions[0].max_memory_per_node, std::nullopt);
}

TEST(PartitionLine, TakesTheModesOfSharingThatLeaveEachCoreToOneJob) {
    struct Case {
        const char* value;
        bool exclusive, ignores;
    };
    for (const auto& [value, exclusive, ignores] :
         {Case{"NO", false, false}, Case{"EXCLUSIVE", true, false}, Case{"FORCE:1", false, true},
          Case{"force:1", false, true}, Case{"YES:1", false, false}}) {
        const Loaded loaded = load_partition("OverSubscribe=" + std::string(value));
        EXPECT_EQ(text_of(loaded), "") << value;
        EXPECT_EQ(loaded.spec.partitions[0].exclusive, exclusive) << value;
        EXPECT_EQ(loaded.spec.partitions[0].ignores_exclusive(), ignores) << value;
    }
}

TEST(PartitionLine, SharesCoresWhereJobsTakeTurns) {
    for (const auto& [value, means] :
         {std::pair("FORCE", "FORCE:4"), std::pair("force:2", "FORCE:2"), std::pair("Yes", "YES:4"),
          std::pair("YES:3", "YES:3")}) {
        const Loaded loaded =
            load_partition("OverSubscribe=" + std::string(value), "PreemptMode=GANG\n");
        EXPECT_EQ(text_of(loaded), "") << value;
        EXPECT_EQ(loaded.spec.partitions[0].oversubscribe, means);
        EXPECT_FALSE(loaded.spec.partitions[0].exclusive);
    }
}

TEST(PartitionLine, SaysWhereSharingOfTheDefaultLineHasNoEffect) {
    const Loaded loaded = load_partition("", "PartitionName=DEFAULT OverSubscribe=FORCE:2\n");
    EXPECT_EQ(loaded.spec.partitions[0].oversubscribe, "FORCE:2");
    EXPECT_EQ(
        text_of(loaded),
        "slurm.conf:4: warning: OverSubscribe=FORCE:2 of partition main has no effect without "
        "PreemptMode=GANG: jobs on the same cores take turns, and never run at the same "
        "time\n");
}

TEST(PartitionLine, MayHaveAQos) {
    EXPECT_EQ(load_partition("QOS=gold").spec.partitions[0].qos, "gold");
    EXPECT_EQ(load_partition("QOS=N/A").spec.partitions[0].qos, "");
    EXPECT_TRUE(load_partition("ReqResv=YES").spec.partitions[0].requires_reservation);
    EXPECT_TRUE(load_partition("DisableRootJobs=YES").spec.partitions[0].disable_root_jobs);
}

TEST(PartitionLine, SaysWhatIsWrong) {
    struct Case {
        const char *line, *says;
    };
    const Case cases[] = {
        {"MaxTimes=1",
         "slurm.conf:3: error: there is no option MaxTimes on a PartitionName line; "
         "did you mean MaxTime?"},
        {"Hidden=maybe", "slurm.conf:3: error: Hidden=maybe should be YES or NO"},
        {"QOS=gold",
         "slurm.conf:3: note: QOS=gold: its limits apply once there is such a QOS, in berth.yaml "
         "or by sacctmgr add qos gold"},
        {"JobDefaults=DefCpuPerGPU=x",
         "slurm.conf:3: error: DefCpuPerGPU=x should be a whole number from 0 to 65536"},
        {"ExclusiveUser=YES", "slurm.conf:3: warning: ExclusiveUser=YES has no effect yet"},
        {"OverSubscribe=FORCE:4",
         "slurm.conf:3: warning: OverSubscribe=FORCE:4 of partition main has no effect without "
         "PreemptMode=GANG: jobs on the same cores take turns, and never run at the same time"},
        {"OverSubscribe=FORCE:x",
         "slurm.conf:3: error: OverSubscribe=FORCE:x should be NO, EXCLUSIVE, YES or FORCE; :N "
         "behind the last two, from 1 to 64"},
        {"MinNodes=x", "slurm.conf:3: error: MinNodes=x should be a whole number from 0 to 65536"},
    };
    for (const Case& one : cases)
        EXPECT_EQ(text_of(load_partition(one.line)), one.says + std::string("\n"));
}

}  // namespace
}  // namespace berth::config
