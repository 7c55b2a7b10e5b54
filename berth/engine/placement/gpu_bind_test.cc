#include "berth/engine/placement/gpu_bind.h"

#include <gtest/gtest.h>

#include "berth/base/text.h"
#include "berth/testing/builders.h"

namespace berth {
namespace {

using BindKind = GpuBind::Kind;

TEST(GpuBind, IsReadAsSlurmWritesIt) {
    struct Row {
        std::string text;
        GpuBind bind;
    };
    for (const Row& row :
         {Row{"", {}}, Row{"none", {}}, Row{"closest", {.kind = BindKind::closest, .list = {}}},
          Row{"verbose,closest", {.kind = BindKind::closest, .list = {}, .verbose = true}},
          Row{"single:2", {.kind = BindKind::single, .count = 2, .list = {}}},
          Row{"per_task:3", {.kind = BindKind::per_task, .count = 3, .list = {}}},
          Row{"map_gpu:2,3", {.kind = BindKind::map, .list = {4, 8}}},
          Row{"map_gpu:0*2,1", {.kind = BindKind::map, .list = {1, 1, 2}}},
          Row{"mask_gpu:0x3,C", {.kind = BindKind::mask, .list = {3, 12}}}}) {
        const auto bind = GpuBind::parse(row.text);
        ASSERT_TRUE(bind.ok()) << row.text;
        EXPECT_EQ(*bind, row.bind) << row.text;
    }
}

TEST(GpuBind, MalformedOnesAreRefusedInSlurmsWords) {
    for (const std::string text : {"foo",         "single",      "single:",
                                   "single:0",    "single:x",    "single:1x",
                                   "per_task:-1", "per_task:65", "map_gpu:",
                                   "map_gpu:a",   "map_gpu:0x1", "map_gpu:1,,2",
                                   "map_gpu:64",  "map_gpu:0*0", "map_gpu:0*99999",
                                   "mask_gpu:zz", "mask_gpu:0",  "mask_gpu:0x1ffffffffffffffff",
                                   "verbose",     "verbose,",    "closest,verbose",
                                   "closest:1",   "gpu:closest"}) {
        const auto bind = GpuBind::parse(text);
        ASSERT_FALSE(bind.ok()) << text;
        EXPECT_EQ(bind.error().message, "Invalid --gpu-bind argument: gres/gpu:" + text);
    }
}

class Bound : public ::testing::Test {
protected:
    // Tasks with a block of cores each. Of 64 cores, GPUs 0-3 are near the first half.
    std::string bind(const std::string& text, DeviceMask gpus, std::size_t tasks,
                     bool relative = true) {
        const NodeSpec& node = spec_.nodes[0];
        std::vector<BitSet> cores;
        for (std::size_t task = 0; task < tasks; ++task) {
            BitSet block(64);
            for (std::size_t i = 0; i < 64 / tasks; ++i) block.set(task * (64 / tasks) + i);
            cores.push_back(block);
        }
        const auto seen = bind_gpus(GpuBind::parse(text).value(), node, gpus, cores, relative);
        if (!seen.ok()) return seen.error().message;
        std::vector<std::string> words;
        for (const DeviceMask one : *seen) words.push_back(mask_to_list(one));
        return join(words, " | ");
    }
    ClusterSpec spec_ = testing::make_cluster(1);
};

TEST_F(Bound, TasksSeeTheGpusThatSlurmShowsThem) {
    EXPECT_EQ(bind("", 0x0f, 2), "0-3 | 0-3");
    EXPECT_EQ(bind("none", 0xff, 2), "0-7 | 0-7");
    EXPECT_EQ(bind("single:2", 0x03, 4), "0 | 0 | 1 | 1");
    EXPECT_EQ(bind("single:1", 0x03, 4), "0 | 1 | 0 | 1");
    EXPECT_EQ(bind("single:1", 0x60, 2), "5 | 6");
    EXPECT_EQ(bind("per_task:2", 0x0f, 2), "0-1 | 2-3");
    EXPECT_EQ(bind("per_task:1", 0xff, 8), "0 | 1 | 2 | 3 | 4 | 5 | 6 | 7");
    EXPECT_EQ(bind("map_gpu:2,3", 0xff, 2), "2 | 3");
    EXPECT_EQ(bind("map_gpu:1,0", 0x0f, 4), "1 | 0 | 1 | 0");
    EXPECT_EQ(bind("mask_gpu:0x3,0xC", 0xff, 2), "0-1 | 2-3");
    EXPECT_EQ(bind("map_gpu:0,1", 0x00, 2), " | ");
}

TEST_F(Bound, ClosestAndOwnGpusAreNearTheTasksCores) {
    EXPECT_EQ(bind("closest", 0xff, 2), "0-3 | 4-7");
    EXPECT_EQ(bind("closest", 0xff, 1), "0-7");
    EXPECT_EQ(bind("closest", 0x03, 2), "0-1 | 0-1");  // The second task has none near it.
    EXPECT_EQ(bind("per_task:1", 0x33, 2), "0 | 4");
    EXPECT_EQ(bind("per_task:1", 0x30, 2), "4 | 5");
}

TEST_F(Bound, NumbersCountTheStepsGpusUnlessTheTaskSeesAllDevices) {
    EXPECT_EQ(bind("map_gpu:0,1", 0xc0, 2), "6 | 7");
    EXPECT_EQ(bind("map_gpu:7,6", 0xc0, 2, false), "7 | 6");
    EXPECT_EQ(bind("mask_gpu:0xc0", 0xc0, 1, false), "6-7");
}

TEST_F(Bound, WhatTheStepDoesNotHaveIsRefused) {
    EXPECT_NE(bind("map_gpu:2", 0x03, 1).find("does not have"), std::string::npos);
    EXPECT_NE(bind("map_gpu:0", 0xc0, 1, false).find("does not have"), std::string::npos);
    EXPECT_NE(bind("per_task:2", 0x03, 2).find("more than the step's 2"), std::string::npos);
}

}  // namespace
}  // namespace berth
