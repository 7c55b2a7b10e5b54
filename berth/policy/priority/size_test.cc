#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

// Points of 1000 on a cluster, as Slurm prints them.
struct SizeCase {
    const char* what;
    std::size_t nodes;
    std::uint32_t cores;
    JobSize size;
    std::int64_t big, small;
};

TEST(Size, AveragesTheNodePartAndTheCpuPart) {
    const SizeCase cases[] = {
        {"one core of four", 1, 4, {1, 1}, 625, 375},
        {"two", 1, 4, {1, 2}, 750, 250},
        {"three", 1, 4, {1, 3}, 875, 125},
        {"all", 1, 4, {1, 4}, 1000, 0},
        {"two nodes of four", 4, 8, {2, 16}, 500, 500},
        {"more than there is", 2, 4, {8, 64}, 1000, 0},
    };
    const auto big = testing::make_rule(priority_terms(), "size");
    const auto small = testing::make_rule(priority_terms(), "size", {{"favor_small", 1}});
    for (const SizeCase& c : cases) {
        SCOPED_TRACE(c.what);
        testing::FixedView view;
        NodeSpec node;
        node.cores_per_socket = c.cores;
        view.cluster.nodes = std::vector(c.nodes, node);
        view.job_size = c.size;
        const Factor up = big->value(Job{}, view), down = small->value(Job{}, view);
        EXPECT_EQ(1000 * up.part / up.whole, c.big);
        EXPECT_EQ(1000 * down.part / down.whole, c.small);
    }
}

// SMALL_RELATIVE_TO_TIME
TEST(Size, MayBeRelativeToTheTimeLimit) {
    struct Minutes {
        JobSize size;
        Duration limit;
        std::int64_t big, small;  // Of a million.
    };
    const Minutes cases[] = {
        {{1, 1}, std::chrono::minutes(1), 250'000, 750'000},  // An average node has 8 of 32 CPUs.
        {{1, 16}, std::chrono::minutes(10), 50'000, 950'000},
        {{4, 32}, std::chrono::minutes(1), 1'000'000, 0},
        {{4, 32}, Duration::max(), 1, 999'998},
    };
    for (const Minutes& c : cases) {
        testing::FixedView view;
        NodeSpec node;
        node.cores_per_socket = 8;
        view.cluster.nodes = std::vector(4, node);
        view.job_size = c.size;
        Job job;
        job.time_limit = c.limit;
        const auto millionths = [&](std::int64_t favor_small) {
            const Factor f = testing::make_rule(priority_terms(), "size",
                                                {{"favor_small", favor_small}, {"per_minute", 1}})
                                 ->value(job, view);
            return 1'000'000 * f.part / f.whole;
        };
        EXPECT_EQ(millionths(0), c.big);
        EXPECT_EQ(millionths(1), c.small);
    }
}

TEST(Size, OfAnEmptyClusterIsNothing) {
    const auto rule = testing::make_rule(priority_terms(), "size");
    EXPECT_EQ(rule->value(Job{}, testing::FixedView{}).part, 0);
}

}  // namespace
}  // namespace berth
