// How many cores tasks take of a node and its sockets, by a table and by trying everything.
#include "berth/engine/placement/core_use.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace berth {
namespace {

NodeSpec node_of(std::uint32_t sockets, std::uint32_t cores, std::uint32_t threads = 1) {
    NodeSpec node;
    node.sockets = sockets;
    node.cores_per_socket = cores;
    node.threads_per_core = threads;
    return node;
}

Near near_of(std::uint32_t per_socket, std::uint32_t per_core = 0, std::uint32_t threads = 0) {
    return {.threads_per_core = threads,
            .layout = {.per_socket = per_socket, .per_core = per_core}};
}

TEST(CoreUse, CountsTheCoresThatTasksTake) {
    struct Case {
        const char* what;
        Near near;
        std::uint32_t cpus, threads;         // Of a task; of a core.
        std::uint32_t cores_of_seven, most;  // Of seven tasks; on two sockets of eight cores.
    };
    const Case cases[] = {
        {"one CPU each", near_of(0), 1, 1, 7, 16},
        {"two threads are two CPUs", near_of(0), 1, 2, 4, 32},
        {"three CPUs, cores are shared", near_of(0), 3, 2, 11, 10},
        {"one thread of each core", near_of(0, 0, 1), 3, 2, 21, 5},
        {"a core for each task", near_of(0, 1), 1, 2, 7, 16},
        {"no core for two tasks", near_of(0, 1), 3, 2, 14, 8},
        {"two tasks on a core", near_of(0, 2), 1, 2, 4, 32},
        {"a core has but two threads", near_of(0, 4), 1, 2, 4, 32},
        {"cores that two tasks share", near_of(0, 2), 3, 2, 11, 10},
        {"four threads, three tasks", near_of(0, 3), 1, 4, 3, 48},
        {"one on each socket", near_of(1), 1, 1, 7, 2},
        {"one on each socket has its core", near_of(1), 1, 2, 7, 2},
        {"three on each socket have a core each", near_of(3), 1, 2, 7, 6},
        {"four on each socket share cores", near_of(4), 1, 2, 4, 8},
        {"one core on a socket is shared", near_of(4, 2), 1, 4, 4, 8},
        {"as many as a socket has cores for", near_of(9), 3, 1, 21, 4},
        {"no task on two sockets", near_of(1), 9, 1, 63, 0},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        const NodeSpec node = node_of(2, 8, c.threads);
        const CoreUse use = core_use(c.near, c.cpus, node);
        EXPECT_EQ(use.cores_for(7), c.cores_of_seven);
        EXPECT_EQ(most_tasks(use, node), c.most);
        EXPECT_EQ(tasks_on(use, node, BitSet::all(16)), c.most);
    }
}

TEST(CoreUse, SoManySocketsGiveCoresIfGpusAreToBeNear) {
    const NodeSpec node = node_of(4, 8);
    Near near;
    near.sockets = 2;
    const CoreUse use = core_use(near, 3, node);
    EXPECT_EQ(use.cores_for(2), 6U);
    EXPECT_EQ(most_tasks(use, node), 4U);
    EXPECT_EQ(tasks_on(use, node, *BitSet::parse("0-2,8-15,16-18,24-25", 32)), 3U);
    EXPECT_EQ(enough_cores(use, node, 1), 32U);  // Those near the GPUs may be any.
    near.layout.per_socket = 1;
    EXPECT_EQ(most_tasks(core_use(near, 3, node), node), 2U);
}

TEST(CoreUse, AllTasksHaveTheCoresOfOneWhereTheyOvercommit) {
    const NodeSpec node = node_of(2, 8, 2);
    const CoreUse use = core_use({.layout = {.per_socket = 1, .overcommit = true}}, 3, node);
    EXPECT_EQ(use.cores_for(1), 2U);
    EXPECT_EQ(use.cores_for(500), 2U);
    EXPECT_EQ(enough_cores(use, node, 500), 2U);
    EXPECT_EQ(tasks_on(use, node, *BitSet::parse("3", 16)), 0U);
    EXPECT_EQ(tasks_on(use, node, *BitSet::parse("3,9", 16)), UINT32_MAX);
}

TEST(CoreUse, FreeCoresCountSocketBySocket) {
    const NodeSpec node = node_of(2, 8);
    const BitSet free = *BitSet::parse("0-6,8", 16);
    EXPECT_EQ(tasks_on(core_use(near_of(0), 2, node), node, free), 4U);
    EXPECT_EQ(tasks_on(core_use(near_of(2), 2, node), node, free), 2U);
    EXPECT_EQ(tasks_on(core_use(near_of(4), 1, node), node, free), 5U);
}

// The most cores that can be free without room for so many tasks.
std::uint64_t most_without_room(const CoreUse& use, const NodeSpec& node, std::uint32_t tasks) {
    std::vector<std::uint32_t> free(node.sockets, 0);
    std::uint64_t most = 0;
    for (bool more = true; more;) {
        BitSet cores(node.cores());
        for (std::uint32_t s = 0; s < node.sockets; ++s) {
            for (std::uint32_t i = 0; i < free[s]; ++i) cores.set(s * node.cores_per_socket + i);
        }
        if (tasks_on(use, node, cores) < tasks) most = std::max<std::uint64_t>(most, cores.count());
        more = false;
        for (std::uint32_t& one : free) {  // The next way in which they may be free.
            one = one == node.cores_per_socket ? 0 : one + 1;
            more = one > 0;
            if (more) break;
        }
    }
    return most;
}

TEST(CoreUse, EnoughCoresHaveRoomHoweverTheyLieAndOneLessMayNot) {
    int tried = 0;
    for (std::uint32_t sockets = 1; sockets <= 3; ++sockets) {
        for (std::uint32_t cores = 1; cores <= 5; ++cores) {
            for (std::uint32_t cpus = 1; cpus <= 3; ++cpus) {
                for (std::uint32_t per_socket = 1; per_socket <= 4; ++per_socket) {
                    const NodeSpec node = node_of(sockets, cores, cpus == 2 ? 2 : 1);
                    const CoreUse use = core_use(near_of(per_socket), cpus, node);
                    for (std::uint32_t tasks = 1; tasks <= most_tasks(use, node); ++tasks) {
                        EXPECT_EQ(enough_cores(use, node, tasks),
                                  most_without_room(use, node, tasks) + 1)
                            << sockets << " sockets of " << cores << " cores, " << tasks
                            << " tasks of " << cpus << " CPUs, " << per_socket << " per socket";
                        ++tried;
                    }
                }
            }
        }
    }
    EXPECT_GT(tried, 200);
}

}  // namespace
}  // namespace berth
