#include "apps/berth_agent/joining.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

Machine machine() {
    Machine made;
    made.sockets = 2;
    made.cpus_of_core = {{0}, {1}, {2}, {3}};
    made.socket_of_core = {0, 0, 1, 1};
    made.memory = mib(64'000);
    return made;
}

std::vector<FoundGpu> two_gpus() {
    std::vector<FoundGpu> gpus(2);
    for (std::size_t i = 0; i < 2; ++i) {
        gpus[i].type = "nvidia_h100";
        gpus[i].file = "/dev/nvidia" + std::to_string(i);
        gpus[i].uuid = "GPU-" + std::to_string(i);
    }
    return gpus;
}

TEST(JoiningNode, IsThisMachineWhereNothingElseIsSaid) {
    const auto joining = joining_node("", machine(), two_gpus());
    ASSERT_TRUE(joining.ok()) << joining.error().message;
    EXPECT_EQ(joining->node.sockets, 2U);
    EXPECT_EQ(joining->node.gres, (std::vector<NewGres>{{"gpu", "nvidia_h100", 2}}));
    const auto cluster = cluster_of("dyn1", *joining);
    ASSERT_TRUE(cluster.ok()) << cluster.error().message;
    EXPECT_EQ(cluster->nodes[0].cpus(), 4U);
    ASSERT_EQ(cluster->nodes[0].devices.size(), 2U);
    EXPECT_EQ(cluster->nodes[0].devices[1].file, "/dev/nvidia1");
    EXPECT_EQ(cluster->nodes[0].devices[1].uuid, "GPU-1");
}

TEST(JoiningNode, IsWhatConfSaysAboveThat) {
    const auto joining =
        joining_node("  CPUs=2 Gres=gpu:nvidia_h100:1 Feature=a,b ", machine(), two_gpus());
    ASSERT_TRUE(joining.ok()) << joining.error().message;
    const auto cluster = cluster_of("dyn1", *joining);
    ASSERT_TRUE(cluster.ok()) << cluster.error().message;
    EXPECT_EQ(cluster->nodes[0].cpus(), 2U);
    EXPECT_EQ(cluster->nodes[0].memory, mib(64'000));
    EXPECT_EQ(cluster->nodes[0].features.size(), 2U);
    EXPECT_EQ(cluster->nodes[0].devices.size(), 1U);
}

TEST(JoiningNode, IsRefusedWhereTheWordsAreNone) {
    for (const char* words : {"CPUs", "Gres=gpu:x:y", "State=CLOUD", "NodeName=other"}) {
        const auto joining = joining_node(words, machine(), {});
        ASSERT_FALSE(joining.ok()) << words;
        EXPECT_TRUE(joining.error().message.starts_with("--conf")) << joining.error().message;
    }
}

}  // namespace
}  // namespace berth
