#include <gtest/gtest.h>

#include "berth/config/load.h"

namespace berth::config {
namespace {

Loaded load_keys(const std::string& keys, const std::string& yaml = {}) {
    ConfigFiles files;
    files.slurm = ConfigText{"slurm.conf",
                             "ClusterName=lab\nNodeName=n1 CPUs=16\n"
                             "PartitionName=main Nodes=n1 Default=YES\n" +
                                 keys};
    if (!yaml.empty()) files.berth = ConfigText{"berth.yaml", yaml};
    return load(files);
}

std::string said(const Loaded& loaded) {
    std::string text;
    for (const Finding& finding : loaded.findings) text += to_string(finding) + "\n";
    return text;
}

TEST(StepKeys, JobFileAppendIsOffUnlessSaid) {
    EXPECT_FALSE(load_keys("").spec.launch.append_output);
    EXPECT_TRUE(load_keys("JobFileAppend=1\n").spec.launch.append_output);
    EXPECT_EQ(said(load_keys("JobFileAppend=1\n")), "");
    EXPECT_NE(said(load_keys("JobFileAppend=maybe\n")).find("should be yes or no"),
              std::string::npos);
}

TEST(StepKeys, ExitCodesAreNumbersAndRanges) {
    const auto codes = [](const std::string& value) {
        const Loaded loaded = load_keys("RequeueExit=" + value + "\n");
        EXPECT_EQ(said(loaded), "");
        return loaded.spec.scheduling.requeue_exit;
    };
    EXPECT_EQ(codes("3"), (std::vector<std::int32_t>{3}));
    EXPECT_EQ(codes("18,1-3,2,255"), (std::vector<std::int32_t>{1, 2, 3, 18, 255}));
    for (const char* wrong : {"0", "256", "5-3", "1-", "-1", "x", "1,,2", "1-300"}) {
        for (const char* key : {"RequeueExit", "RequeueExitHold"}) {
            const std::string text = said(load_keys(std::string(key) + "=" + wrong + "\n"));
            EXPECT_NE(
                text.find(std::string(key) + "=" + wrong + " should be exit codes from 1 to 255"),
                std::string::npos)
                << text;
        }
    }
}

TEST(StepKeys, BoundsOfStepsAreNumbers) {
    const LaunchSpec bounded =
        load_keys("MaxStepCount=7\nMaxTasksPerNode=8\nWaitTime=9\nKillOnBadExit=1\n").spec.launch;
    EXPECT_EQ(bounded.max_step_count, 7U);
    EXPECT_EQ(bounded.max_tasks_per_node, 8U);
    EXPECT_EQ(bounded.wait_for_tasks, std::chrono::seconds(9));
    EXPECT_TRUE(bounded.kill_on_bad_exit);
    for (const char* wrong : {"MaxStepCount=0", "MaxTasksPerNode=0", "MaxTasksPerNode=many",
                              "WaitTime=-1", "WaitTime=65534", "KillOnBadExit=2"}) {
        const Loaded loaded = load_keys(std::string(wrong) + "\n");
        EXPECT_TRUE(loaded.has_errors) << wrong;
        EXPECT_NE(said(loaded).find(std::string(wrong).substr(0, 8)), std::string::npos);
    }
}

TEST(StepKeys, LimitsArePropagatedAsSaid) {
    const auto limits = [](const std::string& keys) {
        const Loaded loaded = load_keys(keys);
        EXPECT_EQ(said(loaded), "");
        return loaded.spec.launch.propagated_limits;
    };
    const RlimitSet files = rlimit_bit(RlimitKind::nofile);
    EXPECT_EQ(limits(""), kAllRlimits);
    EXPECT_EQ(limits("PropagateResourceLimits=NONE\n"), 0);
    EXPECT_EQ(limits("PropagateResourceLimits=NOFILE\n"), files);
    EXPECT_EQ(limits("PropagateResourceLimitsExcept=NOFILE\n"), kAllRlimits & ~files);
    EXPECT_NE(said(load_keys("PropagateResourceLimits=FILES\n")).find("there is no resource limit"),
              std::string::npos);
    EXPECT_NE(said(load_keys("PropagateResourceLimits=ALL\nPropagateResourceLimitsExcept=CORE\n"))
                  .find("exclude each other"),
              std::string::npos);
}

TEST(StepKeys, SharedMemoryStaysUnlessTheSiteWantsItRemoved) {
    EXPECT_FALSE(load_keys("").spec.confinement.remove_shared_memory);
    EXPECT_TRUE(load_keys("", "remove_shared_memory: yes\n").spec.confinement.remove_shared_memory);
}

}  // namespace
}  // namespace berth::config
