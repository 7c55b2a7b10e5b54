#include <gtest/gtest.h>

#include "berth/policy/fragmentation.h"
#include "berth/testing/shared_gpus.h"

namespace berth {
namespace {

using FragmentationOf = testing::SharedGpus;

TEST_F(FragmentationOf, NodesCountsWhatEachShapeCannotUse) {
    const std::vector<GpuLeft> gpus = {{a100_, 300}, {a100_, 1000}, {a100_, 500}};
    const NodeRoom room{cores(8), gpus};
    struct Case {
        const char* what;
        WorkShape shape;
        std::int64_t of_no_use;
    };
    const Case cases[] = {
        {"half a GPU: only the smallest remnant is too small", {cores(4), 1, 500}, 300},
        {"one GPU: both remnants are", {cores(4), 1, 1000}, 800},
        {"two GPUs: there is no second one", {cores(4), 2, 1000}, 1800},
        {"too many cores", {cores(16), 1, 500}, 1800},
        {"no GPU wanted", {cores(4), 0, 0}, 1800},
        {"another type", {cores(4), 1, 500, dimension_bit(t4_)}, 1800},
        {"counts as often as it comes",
         {.cpu = cores(4), .gpus = 1, .milli = 500, .count = 3},
         900},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        EXPECT_EQ(fragmentation(room, std::vector{c.shape}), c.of_no_use);
    }
    EXPECT_EQ(fragmentation(room, std::vector{cases[0].shape, cases[1].shape}, 2), 1400);
}

TEST_F(FragmentationOf, UsualWorkIsWhatMakesUp95PercentOfIt) {
    const auto shape = [](std::int64_t cpus, std::int64_t count) {
        return WorkShape{.cpu = cores(cpus), .count = count};
    };
    EXPECT_EQ(usual_of({shape(1, 4), shape(2, 1), shape(3, 95)}), std::vector{shape(3, 95)});
    EXPECT_EQ(usual_of({shape(1, 5), shape(2, 5), shape(3, 90)}),
              (std::vector{shape(3, 90), shape(1, 5)}));
}

}  // namespace
}  // namespace berth
