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
