#include <gtest/gtest.h>

#include "berth/policy/gpu_choice.h"
#include "berth/testing/shared_gpus.h"

namespace berth {
namespace {

using GpuChoiceOn = testing::SharedGpus;

TEST_F(GpuChoiceOn, AGpuIsChosenByTheRuleOrElseTheTightest) {
    view_.work = {{.cpu = cores(4), .gpus = 1, .milli = 500, .count = 6},
                  {.cpu = cores(4), .gpus = 1, .milli = 1000, .count = 4}};
    const auto chosen_by = [&](const char* rule) {
        view_.cluster.scheduling.rules = {
            {.kind = "placement", .name = rule, .weight = 1, .settings = {}}};
        const Policy policy = build_policy(view_.cluster).value();
        return choose_gpu(policy.placement(), candidate(64, {500, 800, 1000, 0}, 0, 300), 0b111,
                          view_)
            .chosen;
    };
    EXPECT_EQ(chosen_by("best_fit"), bit(0));
    EXPECT_EQ(chosen_by("fgd"), bit(1));
    EXPECT_EQ(chosen_by("fragmentation"), bit(1));
}

}  // namespace
}  // namespace berth
