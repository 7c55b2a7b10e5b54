// Which cores the tasks of a step get on one node, in the orders of --distribution.
#include "berth/engine/steps/task_cores.h"

#include <gtest/gtest.h>

#include "berth/base/text.h"

namespace berth {
namespace {

struct Wanted {
    std::uint32_t tasks = 4, cpus = 1;
    TaskLayout layout;
    const char* cores = "0-3";  // Of two sockets of eight cores.
    std::uint32_t threads = 1;
    CpuBind::Kind bind = CpuBind::Kind::automatic;
};

// "0,1 | 8": the cores of each task.
std::string places(const Wanted& wanted) {
    NodeSpec node;
    node.sockets = 2;
    node.cores_per_socket = 8;
    node.threads_per_core = wanted.threads;
    StepAsk ask{.tasks = wanted.tasks,
                .named = {},
                .cpus_per_task = wanted.cpus,
                .layout = wanted.layout,
                .bind = wanted.bind,
                .per_node = {},
                .per_task = {},
                .in_all = {}};
    std::vector<std::string> words;
    for (const BitSet& cores :
         cores_of_tasks(ask, node, *BitSet::parse(wanted.cores, 16), wanted.tasks))
        words.push_back(cores.to_list());
    return join(words, " | ");
}

TEST(TaskCores, FollowTheDistributionOverSocketsAndCores) {
    constexpr CoreOrder kBlock = CoreOrder::block, kCyclic = CoreOrder::cyclic;
    struct Case {
        const char* what;
        Wanted wanted;
        const char* cores;
    };
    const Case cases[] = {
        {"nothing said", {.cores = "0-1,8-9"}, "0 | 1 | 8 | 9"},
        {"block", {.layout = {.over_sockets = kBlock}, .cores = "0-1,8-9"}, "0 | 1 | 8 | 9"},
        {"cyclic", {.layout = {.over_sockets = kCyclic}, .cores = "0-1,8-9"}, "0 | 8 | 1 | 9"},
        {"cyclic, sockets uneven",
         {.layout = {.over_sockets = kCyclic}, .cores = "0-2,8"},
         "0 | 8 | 1 | 2"},
        {"cyclic, two cores each",
         {.tasks = 3, .cpus = 2, .layout = {.over_sockets = kCyclic}, .cores = "0-3,8-9"},
         "0-1 | 8-9 | 2-3"},
        {"fcyclic, two cores each",
         {.tasks = 2,
          .cpus = 2,
          .layout = {.over_sockets = CoreOrder::fcyclic},
          .cores = "0-1,8-9"},
         "0,8 | 1,9"},
        {"two threads: tasks share cores", {.cores = "0-1", .threads = 2}, "0 | 0 | 1 | 1"},
        {"two threads: tasks go round cores",
         {.layout = {.over_sockets = kBlock, .over_cores = kCyclic}, .cores = "0-1", .threads = 2},
         "0 | 1 | 0 | 1"},
        {"two threads: tasks go round sockets and cores",
         {.tasks = 8, .layout = {.over_sockets = kCyclic}, .cores = "0-1,8-9", .threads = 2},
         "0 | 8 | 1 | 9 | 0 | 8 | 1 | 9"},
        {"two threads: tasks go round sockets, not cores",
         {.tasks = 8,
          .layout = {.over_sockets = kCyclic, .over_cores = kBlock},
          .cores = "0-1,8-9",
          .threads = 2},
         "0 | 8 | 0 | 8 | 1 | 9 | 1 | 9"},
    };
    for (const Case& c : cases) EXPECT_EQ(places(c.wanted), c.cores) << c.what;
}

TEST(TaskCores, AreATasksOwnWithTasksPerCoreAndPerSocket) {
    EXPECT_EQ(places({.tasks = 2, .layout = {.per_core = 1}, .cores = "0-1", .threads = 2}),
              "0 | 1");
    EXPECT_EQ(places({.tasks = 2, .cpus = 3, .layout = {.per_core = 1}, .threads = 2}),
              "0-1 | 2-3");
    EXPECT_EQ(places({.tasks = 2, .layout = {.per_socket = 1}, .cores = "0,8", .threads = 2}),
              "0 | 8");
    // More tasks than that leaves cores for: they share them as they need.
    EXPECT_EQ(places({.layout = {.per_socket = 1}, .cores = "0,8", .threads = 2}), "0 | 0 | 8 | 8");
}

TEST(TaskCores, AreThoseOfTheirSocketsIfBoundToThem) {
    constexpr auto kSockets = CpuBind::Kind::sockets;
    EXPECT_EQ(places({.tasks = 2, .cores = "6-9", .bind = kSockets}), "6-7 | 6-7");
    EXPECT_EQ(places({.tasks = 2, .cpus = 2, .cores = "6-9", .bind = kSockets}), "6-7 | 8-9");
    EXPECT_EQ(places({.tasks = 1, .cpus = 3, .cores = "6-9", .bind = kSockets}), "6-9");
    EXPECT_EQ(places({.tasks = 2,
                      .layout = {.over_sockets = CoreOrder::cyclic},
                      .cores = "6-9",
                      .bind = kSockets}),
              "6-7 | 6-7");
}

TEST(TaskCores, AreThoseOfASocketWhereTheStepHasMore) {
    EXPECT_EQ(places({.tasks = 2, .layout = {.per_socket = 1}, .cores = "0-15"}), "0-7 | 8-15");
    EXPECT_EQ(places({.layout = {.per_socket = 2}, .cores = "0-15"}), "0-7 | 0-7 | 8-15 | 8-15");
    EXPECT_EQ(
        places({.layout = {.per_socket = 2, .over_sockets = CoreOrder::cyclic}, .cores = "0-15"}),
        "0-7 | 8-15 | 0-7 | 8-15");
    EXPECT_EQ(places({.tasks = 3, .layout = {.per_socket = 1}, .cores = "0-15"}),
              "0-15 | 0-15 | 0-15");
    EXPECT_EQ(places({.tasks = 2,
                      .layout = {.per_socket = 1},
                      .cores = "0-15",
                      .bind = CpuBind::Kind::none}),
              "0-15 | 0-15");
}

}  // namespace
}  // namespace berth
