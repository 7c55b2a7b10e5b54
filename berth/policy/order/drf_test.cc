#include <gtest/gtest.h>

#include "berth/testing/order_case.h"

namespace berth {
namespace {

using testing::Waiting;

// From the chapter "Training Job Scheduling", section 4.1: train asks for 8 GPUs, 32 CPUs, 256 GiB;
// prep for 64 CPUs, 128 GiB.
std::vector<Waiting> seed_jobs(std::size_t trains, std::size_t preps) {
    const Waiting train{
        .name = "t", .user = "t", .account = "train", .gpus = 8, .cpus = 32, .memory = gib(256)};
    const Waiting prep{.name = "p", .user = "u", .account = "prep", .cpus = 64, .memory = gib(128)};
    std::vector<Waiting> jobs(trains, train);
    jobs.insert(jobs.end(), preps, prep);
    return jobs;
}

// Ties at nothing, a quarter and a half go to the earlier submission, which is train's.
TEST(SeedDrf, Seed002LetsTheLowerDominantShareTakeItsNextJob) {
    EXPECT_EQ(testing::order_of("drf", seed_jobs(12, 12)).substr(0, 20), "tpptptptpptptptpptpt");
}

TEST(SeedDrf, Seed002WeighsAccountsByTheirShares) {
    testing::OrderView view = testing::order_view();
    view.cluster.accounts = {{.name = "train", .parent = "root", .shares = 2},
                             {.name = "prep", .parent = "root", .shares = 1}};
    const auto rule = testing::make_rule(order_rules(), "drf", {{"by_account", 1}});
    EXPECT_EQ(testing::order_of(*rule, view, seed_jobs(14, 12)).substr(0, 20),
              "tptpttptpttptpttptpt");
}

TEST(Drf, IsThePapersExample) {
    // Ghodsi et al., figure 1: 9 CPUs and 18 GB; A asks for 1 CPU, 4 GB, B for 3 CPUs, 1 GB.
    testing::OrderView view = testing::order_view();
    view.cluster.nodes.edit(0).capacity = {};
    view.cluster.nodes.edit(0).capacity.set_cpu(cores(9));
    view.cluster.nodes.edit(0).capacity.set_memory(gib(18));
    const Waiting a{.name = "A", .user = "a", .cpus = 1, .memory = gib(4)};
    const Waiting b{.name = "B", .user = "b", .cpus = 3, .memory = gib(1)};
    EXPECT_EQ(testing::order_of(*testing::make_rule(order_rules(), "drf"), view, {a, a, a, b, b}),
              "ABABA");
}

}  // namespace
}  // namespace berth
