#include "berth/workload/workload.h"

#include <gtest/gtest.h>

namespace berth::workload {
namespace {

using namespace std::chrono_literals;

Workload of(std::vector<TraceJob> jobs) {
    Workload workload;
    workload.jobs = std::move(jobs);
    return workload;
}

TEST(Workload, StartsAtItsFirstJobAndKeepsTheOrderOfEquals) {
    Workload workload =
        of({{.number = 1, .submit = 9s}, {.number = 2, .submit = 5s}, {.number = 3, .submit = 9s}});
    workload.begin = 100;
    finish(workload);
    EXPECT_EQ(workload.jobs[0].number, 2U);
    EXPECT_EQ(workload.jobs[0].submit, 0s);
    EXPECT_EQ(workload.jobs[1].number, 1U);
    EXPECT_EQ(workload.jobs[2].submit, 4s);
    EXPECT_EQ(workload.begin, 105);
}

TEST(Workload, IsStretchedToAnOfferedLoad) {
    // 8 GPUs × 100 s and half a GPU × 400 s, over 100 s: 10 GPUs' worth.
    Workload workload = of({{.run_time = 100s, .gpus = 8},
                            {.submit = 100s, .run_time = 400s, .gpus = 1, .gpu_milli = 500}});
    EXPECT_DOUBLE_EQ(offered_load(workload, 20), 0.5);
    scale_load(workload, 20, 2.0);
    EXPECT_EQ(workload.jobs[1].submit, 25s);
    EXPECT_DOUBLE_EQ(offered_load(workload, 20), 2.0);
}

TEST(Workload, WithoutTimeOffersNoLoad) {
    Workload workload = of({{.run_time = 100s, .gpus = 8}});
    EXPECT_EQ(offered_load(workload, 8), 0);
    scale_load(workload, 8, 0.9);
    EXPECT_EQ(workload.jobs[0].submit, 0s);
    EXPECT_EQ(offered_load(Workload{}, 8), 0);
}

TEST(Workload, KeepsTheFirstErrorsAndCountsAll) {
    Workload workload;
    for (std::size_t i = 0; i < 150; ++i) workload.reject(i, "bad");
    EXPECT_EQ(workload.bad, 150U);
    EXPECT_EQ(workload.errors.size(), Workload::kErrorsKept);
}

}  // namespace
}  // namespace berth::workload
