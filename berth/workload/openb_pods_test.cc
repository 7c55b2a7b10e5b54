#include "berth/workload/openb_pods.h"

#include <gtest/gtest.h>

namespace berth::workload {
namespace {

TEST(OpenbPods, AreReadWhetherTheyEverRanOrNot) {
    const auto pods = read_openb_pods(
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"
        "a,6000,12288,1,460,V100M16|V100M32\nb,3152,0,0,0,\nc,1000,0,2,500,\nd,1000,0,4,1000,\n");
    ASSERT_TRUE(pods.ok());
    EXPECT_EQ(pods->rows, 4U);
    ASSERT_EQ(pods->pods.size(), 3U);
    EXPECT_EQ(pods->pods[0], (OpenbPod{.name = "a",
                                       .cpu = Millicpu(6000),
                                       .memory = gib(12),
                                       .gpus = 1,
                                       .milli = 460,
                                       .models = {"v100m16", "v100m32"}}));
    EXPECT_EQ(pods->pods[1].milli, 0);
    EXPECT_EQ(pods->pods[2].gpus, 4);
    ASSERT_EQ(pods->bad, 1U);
    EXPECT_EQ(pods->errors[0],
              (RowError{4, "more than one GPU should be whole ones, gpu_milli 1000"}));
}

TEST(OpenbNodes, HaveTheirGpusByModel) {
    const auto cluster = read_openb_nodes(
        "sn,cpu_milli,memory_mib,gpu,model\nn1,64000,262144,2,P100\nn2,96000,1,8,G2\n");
    ASSERT_TRUE(cluster.ok());
    ASSERT_EQ(cluster->nodes.size(), 2U);
    EXPECT_EQ(cluster->nodes[0].devices.size(), 2U);
    EXPECT_EQ(cluster->nodes[1].capacity[*cluster->dimensions.find("gpu", "g2")], 8);
    EXPECT_EQ(
        read_openb_nodes("sn,cpu_milli,memory_mib,gpu,model\nn1,64000,1,99,P100\n").error().message,
        "line 2: '99' should be a whole number from 0 to 64");
    EXPECT_FALSE(read_openb_nodes("sn,cpu\n").ok());
}

}  // namespace
}  // namespace berth::workload
