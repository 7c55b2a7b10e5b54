#include "berth/engine/placement/demand.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"

namespace berth {
namespace {

ClusterSpec featured_cluster() {
    ClusterSpec spec = testing::make_cluster(2);
    testing::add_node(spec, "node3", {.gpu_type = "h100", .features = {"ib"}});
    testing::add_node(spec, "node4", {.features = {"ib"}, .counted = {{"fpga", 2}}});
    return spec;
}

Demand demand(const JobRequest& request, const ClusterSpec& spec = featured_cluster()) {
    Job job;
    job.spec.request = request;
    return demand_of(spec, job);
}

TEST(Demand, NodesAndTasksAreReadAsInSlurm) {
    struct Row {
        std::string what;
        JobRequest request;
        std::uint32_t nodes_min, nodes_max;
        std::optional<std::uint32_t> tasks;
        std::uint32_t tasks_per_node;
    };
    const GresRequest four{"gpu", "", 4}, one{"gpu", "", 1}, two{"gpu", "", 2};
    for (const Row& row : {
             Row{"nothing", {}, 1, 1, {}, 1},
             Row{"-N2", {.nodes_min = 2, .nodes_given = true}, 2, 2, {}, 1},
             Row{"-N2-4", {.nodes_min = 2, .nodes_max = 4, .nodes_given = true}, 2, 4, {}, 1},
             Row{"-n8", {.tasks = 8}, 1, 8, 8, 0},
             Row{"-n8 --ntasks-per-node=4", {.tasks = 8, .tasks_per_node = 4}, 2, 8, 8, 4},
             Row{"-N2 --ntasks-per-node=4",
                 {.nodes_min = 2, .nodes_given = true, .tasks_per_node = 4},
                 2,
                 2,
                 {},
                 4},
             Row{"-N4 -n2", {.nodes_min = 4, .nodes_given = true, .tasks = 2}, 2, 2, 2, 0},
             Row{"-N2-4 -n3",
                 {.nodes_min = 2, .nodes_max = 4, .nodes_given = true, .tasks = 3},
                 2,
                 3,
                 3,
                 0},
             Row{"--gpus=4", {.gpus = {four}}, 1, 4, {}, 1},
             Row{"--gpus=4 --gpus-per-task=2",
                 {.gpus = {four}, .gpus_per_task = {two}},
                 1,
                 2,
                 2,
                 0},
             Row{"-n3 --gpus-per-task=1", {.tasks = 3, .gpus_per_task = {one}}, 1, 3, 3, 0},
             Row{"-w node1,node2", {.nodelist = {"node1", "node2"}}, 2, 2, {}, 1},
         }) {
        const Demand made = demand(row.request);
        EXPECT_EQ(made.nodes_min, row.nodes_min) << row.what;
        EXPECT_EQ(made.nodes_max, row.nodes_max) << row.what;
        EXPECT_EQ(made.tasks, row.tasks) << row.what;
        EXPECT_EQ(made.tasks_per_node, row.tasks_per_node) << row.what;
        EXPECT_EQ(made.fewest_nodes, !row.request.nodes_given) << row.what;
    }
}

TEST(Demand, MemoryIsWhatWasAskedElseThePartitionsDefaultElseNoConstraint) {
    ClusterSpec spec = featured_cluster();
    EXPECT_EQ(demand({}, spec).memory.rule, MemoryRule::none);
    spec.partitions[0].default_memory_per_cpu = mib(2000);
    EXPECT_EQ(demand({}, spec).memory.rule, MemoryRule::per_cpu);
    EXPECT_EQ(demand({}, spec).memory.amount, mib(2000));
    EXPECT_EQ(demand({.memory_per_node = gib(3)}, spec).memory.rule, MemoryRule::per_node);
    EXPECT_EQ(demand({.memory_per_node = gib(3)}, spec).memory.amount, gib(3));
    EXPECT_EQ(demand({.memory_per_node = Bytes(0)}, spec).memory.rule, MemoryRule::whole_node);
    EXPECT_EQ(demand({.memory_per_cpu = gib(1)}, spec).memory.rule, MemoryRule::per_cpu);
}

TEST(Demand, MoreMemoryPerCpuThanThePartitionAllowsTakesMoreCpus) {
    ClusterSpec spec = featured_cluster();
    spec.partitions[0].max_memory_per_cpu = gib(4);
    const Demand made = demand({.cpus_per_task = 2, .memory_per_cpu = gib(10)}, spec);
    EXPECT_EQ(made.cpus_per_task, 6U);
    EXPECT_EQ(made.memory.amount * 3, gib(10) + Bytes(2));  // Rounded up.
}

TEST(Demand, AGresNameMeansAllItsTypesAndATypeOnlyOne) {
    const ClusterSpec spec = featured_cluster();
    const DimensionSet a100 = dimension_bit(*spec.dimensions.find("gpu", "a100"));
    const DimensionSet h100 = dimension_bit(*spec.dimensions.find("gpu", "h100"));
    const Demand per_node = demand(
        {.gres_per_node = {{"fpga", "", 1}, {"gpu", "", 0}}, .gpus_per_node = {{"gpu", "", 2}}},
        spec);
    ASSERT_EQ(per_node.gres_per_node.size(), 2U);  // "gpu:0" adds nothing.
    EXPECT_EQ(per_node.gres_per_node[0].count, 1);
    EXPECT_EQ(per_node.gres_per_node[1], (GresDemand{a100 | h100, 2}));
    EXPECT_EQ(demand({.gpus = {{"gpu", "h100", 3}}}, spec).gres_total,
              (std::vector{GresDemand{h100, 3}}));
    EXPECT_EQ(demand({.gpus_per_task = {{"gpu", "nope", 1}}}, spec).gres_per_task,
              (std::vector{GresDemand{0, 1}}));
}

std::string list_of(const BitSet& set) { return set.to_list(); }

TEST(Demand, NodesAreThePartitionsWithoutTheExcludedAndWithTheFeatures) {
    EXPECT_EQ(list_of(demand({}).choices.at(0)), "0-3");
    EXPECT_EQ(list_of(demand({.exclude = {"node1", "node4"}}).choices.at(0)), "1-2");
    EXPECT_EQ(list_of(demand({.constraint = "ib"}).choices.at(0)), "2-3");
    EXPECT_EQ(list_of(demand({.constraint = "ib&("}).choices.at(0)), "");
    const Demand one_of = demand({.constraint = "[ib|none]"});
    ASSERT_EQ(one_of.choices.size(), 2U);
    EXPECT_EQ(list_of(one_of.choices[0]), "2-3");
    EXPECT_EQ(list_of(one_of.choices[1]), "");
    EXPECT_EQ(list_of(demand({.nodelist = {"node2"}}).required), "1");
    ClusterSpec spec = featured_cluster();
    spec.partitions[0].nodes = {NodeId(1)};
    EXPECT_EQ(list_of(demand({}, spec).choices.at(0)), "1");
}

TEST(Demand, WholeCoresAreTakenAndMemoryGoesWithTheirCpus) {
    ClusterSpec spec = testing::make_cluster(1, {.cores_per_socket = 4, .threads_per_core = 2});
    const NodeSpec& node = spec.nodes[0];
    const NodeNeed odd =
        need_on(demand({.cpus_per_task = 3, .memory_per_cpu = gib(1)}, spec), node, 1);
    EXPECT_EQ(odd.cores, 2U);
    EXPECT_EQ(odd.cpus, 4U);
    EXPECT_EQ(odd.memory, gib(4));
    const NodeNeed two =
        need_on(demand({.cpus_per_task = 3, .memory_per_node = gib(5)}, spec), node, 2);
    EXPECT_EQ(two.cores, 3U);
    EXPECT_EQ(two.memory, gib(5));
    const NodeNeed all =
        need_on(demand({.exclusive = true, .memory_per_node = Bytes(0)}, spec), node, 1);
    EXPECT_EQ(all.cores, 8U);
    EXPECT_EQ(all.memory, gib(512));
    JobRequest one_thread{.cpus_per_task = 3};
    one_thread.nearness.edit().node.threads_per_core = 1;
    const NodeNeed single = need_on(demand(one_thread, spec), node, 1);
    EXPECT_EQ(single.cores, 3U);
    EXPECT_EQ(single.cpus, 6U);  // All threads of these cores are the job's.
}

TEST(Demand, HoldsTheThreadsThatItsTasksDoNotUse) {
    ClusterSpec spec = testing::make_cluster(2, {.cores_per_socket = 4, .threads_per_core = 2});
    JobRequest one_thread{.nodes_min = 1, .nodes_given = true, .tasks = 4};
    one_thread.memory_per_cpu = gib(1);
    EXPECT_EQ(held_cpus(spec, demand(one_thread, spec), 4), 4);
    EXPECT_EQ(memory_on_fullest(spec, demand(one_thread, spec)), gib(4));
    one_thread.nearness.edit().node.threads_per_core = 1;
    EXPECT_EQ(held_cpus(spec, demand(one_thread, spec), 4), 8);
    EXPECT_EQ(memory_on_fullest(spec, demand(one_thread, spec)), gib(8));
    spec.partitions[0].max_memory_per_node = gib(6);
    EXPECT_TRUE(exceeds_node_memory(spec, spec.partitions[0], demand(one_thread, spec)));
    one_thread.nodes_given = false;
    EXPECT_EQ(demand(one_thread, spec).tasks_per_node, 3U) << "two GiB for each task";
    testing::add_node(spec, "node3", {.cores_per_socket = 8});
    EXPECT_EQ(held_cpus(spec, demand(one_thread, spec), 4), 4) << "where there is one thread";
}

TEST(Demand, SaysWhetherOthersMayShareItsCores) {
    ClusterSpec spec = testing::make_cluster(1);
    JobRequest asks{.oversubscribe = true};
    EXPECT_FALSE(demand(asks, spec).near.turns);
    spec.scheduling.preemption.gang = true;
    EXPECT_FALSE(demand(asks, spec).near.turns);
    spec.partitions[0].oversubscribe = "YES:2";
    EXPECT_TRUE(demand(asks, spec).near.turns);
    EXPECT_FALSE(demand({}, spec).near.turns);
    asks.nearness.edit().contiguous = true;
    EXPECT_TRUE(demand(asks, spec).near.turns) << "whatever else it asks of its places";
    spec.partitions[0].oversubscribe = "FORCE:2";
    EXPECT_TRUE(demand({}, spec).near.turns);
    EXPECT_FALSE(demand({.gpus = {{"gpu", "", 1}}}, spec).near.turns);
}

}  // namespace
}  // namespace berth
