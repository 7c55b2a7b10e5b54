#include <gtest/gtest.h>

#include "berth/testing/shared_gpus.h"

namespace berth {
namespace {

using Fragmentation = testing::SharedGpus;

TEST_F(Fragmentation, PrefersTheGpuThatItsRemnantSuits) {
    view_.work = {{.cpu = cores(4), .gpus = 1, .milli = 500, .count = 6},
                  {.cpu = cores(4), .gpus = 1, .milli = 1000, .count = 4}};
    // 300 of 500 leave 200, which no shape can use; 300 of 800 leave exactly what most shapes want.
    const Candidate small = candidate(64, {500, 800, 1000, 0}, 1, 300);
    Candidate fitting = small;
    fitting.chosen = 2;
    EXPECT_GT(score("fragmentation", fitting), score("fragmentation", small));
}

TEST_F(Fragmentation, SparesATypeThatSomeWorkCannotDoWithout) {
    view_.work = {{.cpu = cores(1), .gpus = 1, .milli = 1000, .count = 1},
                  {.cpu = cores(1), .gpus = 1, .milli = 1000, .types = dimension_bit(t4_)}};
    take_.set_cpu(cores(1));
    left_.set_cpu(cores(20));
    const std::vector<GpuLeft> scarce = {{t4_}}, plenty = {{a100_}};
    const Candidate on_t4{NodeId(1), take_, left_, scarce, 1, 1000, JobId(1)};
    Candidate on_a100 = on_t4;
    on_a100.gpus = plenty;
    const auto free_of_cost = [](Candidate one, testing::FixedView& view) {
        return testing::make_rule(placement_scores(), "fragmentation", {{"scarce_type", 0}})
            ->value(one, view);
    };
    // Half of all work, 1000 of 2000, on the one T4 of five GPUs: 2.5 times the average demand.
    EXPECT_EQ(free_of_cost(on_t4, view_) - score("fragmentation", on_t4), Ppm(1'250'000));
    EXPECT_EQ(free_of_cost(on_a100, view_), score("fragmentation", on_a100));
}

}  // namespace
}  // namespace berth
