#include <gtest/gtest.h>

#include "berth/testing/shared_gpus.h"

namespace berth {
namespace {

using GpuPacking = testing::SharedGpus;

TEST_F(GpuPacking, PrefersSharedThenUsedThenIdle) {
    struct Case {
        const char* what;
        std::vector<std::int32_t> milli;
        DeviceMask chosen;
        std::int32_t wanted;
        std::int64_t percent;
    };
    const Case cases[] = {
        {"a shared GPU, 40 % of it free", {400, 1000, 1000, 1000}, 1, 300, 96},
        {"a free GPU of a node in use", {400, 1000, 1000, 1000}, 2, 300, 49},
        {"two free GPUs of a node in use", {0, 1000, 1000, 1000}, 6, 1000, 48},
        {"an idle node of four", {1000, 1000, 1000, 1000}, 1, 300, 29},
        {"no GPU at all", {400, 1000, 1000, 1000}, 0, 0, 0},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        EXPECT_EQ(score("gpu_packing", candidate(64, c.milli, c.chosen, c.wanted)),
                  Ppm(c.percent * 10'000));
    }
}

}  // namespace
}  // namespace berth
