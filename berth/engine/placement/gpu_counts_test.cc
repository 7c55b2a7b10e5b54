#include "berth/engine/placement/gpu_counts.h"

#include <gtest/gtest.h>

#include "berth/engine/placement/demand.h"
#include "berth/testing/builders.h"

namespace berth {
namespace {

const GresRequest kTwo{"gpu", "", 2}, kFour{"gpu", "", 4}, kEight{"gpu", "", 8},
    kTwoA100{"gpu", "a100", 2};

TEST(GpuCounts, EachPairFixesWhatItImplies) {
    EXPECT_EQ(gpu_counts({.gpus = {kEight}, .gpus_per_task = {kTwo}})->tasks, 4U);
    EXPECT_EQ(gpu_counts({.gpus_per_node = {kFour}, .gpus_per_task = {kTwo}})->tasks_per_node, 2U);
    EXPECT_EQ(gpu_counts({.gres_per_node = {kFour}, .gpus_per_task = {kTwo}})->tasks_per_node, 2U);
    EXPECT_EQ(gpu_counts({.gpus = {kEight}, .gpus_per_node = {kFour}})->nodes, 2U);
    const GpuCounts alone = *gpu_counts({.gpus = {kEight}});
    EXPECT_FALSE(alone.tasks || alone.nodes || alone.total_follows);
}

TEST(GpuCounts, WhatDoesNotAgreeIsRefused) {
    struct Row {
        std::string what, says;
        JobRequest request;
    };
    for (const Row& row : {
             Row{"multiple",
                 "the first is no multiple",
                 {.gpus = {kTwo}, .gpus_per_task = {kFour}}},
             Row{"tasks",
                 "that is 4 tasks, not 3",
                 {.tasks = 3, .gpus = {kEight}, .gpus_per_task = {kTwo}}},
             Row{"tasks a node",
                 "that is 2 tasks a node, not 4",
                 {.tasks_per_node = 4, .gpus_per_node = {kFour}, .gpus_per_task = {kTwo}}},
             Row{"nodes",
                 "that is 2 nodes, which --nodes is not",
                 {.nodes_min = 3, .nodes_given = true, .gpus = {kEight}, .gpus_per_node = {kFour}}},
             Row{"types",
                 "name the same GPU types in both",
                 {.gpus = {kFour}, .gpus_per_task = {kTwoA100}}},
         }) {
        const auto counts = gpu_counts(row.request);
        ASSERT_FALSE(counts.ok()) << row.what;
        EXPECT_NE(counts.error().message.find(row.says), std::string::npos)
            << counts.error().message;
    }
}

TEST(GpuCounts, AreAskedForOnce) {
    const ClusterSpec spec = testing::make_cluster(2);
    Job job;
    job.spec.request =
        JobRequest{.tasks = 4, .gpus = {kEight}, .gpus_per_node = {kFour}, .gpus_per_task = {kTwo}};
    const Demand demand = demand_of(spec, job);
    EXPECT_TRUE(demand.gres_total.empty());
    EXPECT_TRUE(demand.gres_per_node.empty());
    ASSERT_EQ(demand.gres_per_task.size(), 1U);
    EXPECT_EQ(demand.tasks, 4U);
    EXPECT_EQ(demand.tasks_per_node, 2U);
    EXPECT_EQ(demand.nodes_min, 2U);
    EXPECT_EQ(demand.nodes_max, 2U);
}

}  // namespace
}  // namespace berth
