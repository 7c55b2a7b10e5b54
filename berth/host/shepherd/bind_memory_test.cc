#include "berth/host/shepherd/bind_memory.h"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace berth {
namespace {

BitSet nodes(std::initializer_list<std::size_t> all) {
    BitSet set(kNumaNodesMax);
    for (const std::size_t node : all) set.set(node);
    return set;
}

TEST(MemoryBinding, NamesTheNodesOfEachTask) {
    const auto of = [](const char* text, std::size_t local) {
        return nodes_to_bind(MemBind::parse(text).value(), local, nodes({1}));
    };
    EXPECT_EQ(of("none", 0), nodes({}));
    EXPECT_EQ(of("local", 5), nodes({1}));
    EXPECT_EQ(of("rank", 3), nodes({3}));
    EXPECT_EQ(of("rank", kNumaNodesMax), nodes({}));
    EXPECT_EQ(of("map_mem:0,2", 1), nodes({2}));
    EXPECT_EQ(of("map_mem:0,2", 2), nodes({0})) << "It begins again at the first.";
    EXPECT_EQ(of("mask_mem:0x3,0x4", 0), nodes({0, 1}));
}

// In a child, as the policy stays with its process. -1: the machine does not bind memory.
int mode_with(const char* text) {
    const pid_t child = ::fork();
    if (child == 0) {
        TaskSpec task;
        task.mem_bind = text;
        const std::string said = bind_memory(task);
        int mode = 0;
        std::array<unsigned long, 16> mask{};
        const bool got =
            ::syscall(SYS_get_mempolicy, &mode, mask.data(), kNumaNodesMax, nullptr, 0) == 0;
        ::_exit(!said.empty() ? 99 : got ? mode : 98);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    const int code = WEXITSTATUS(status);
    return code >= 98 ? -1 : code;
}

TEST(MemoryBinding, IsThePolicyOfTheProcess) {
    if (mode_with("map_mem:0") < 0) GTEST_SKIP() << "SKIPPED: this machine binds no memory";
    EXPECT_EQ(mode_with("none"), MPOL_DEFAULT);
    EXPECT_EQ(mode_with("local"), MPOL_BIND);
    EXPECT_EQ(mode_with("mask_mem:0x1"), MPOL_BIND);
    EXPECT_EQ(mode_with("prefer,local"), MPOL_PREFERRED);
}

TEST(MemoryBinding, ToldWhereTheMachineHasNoneOfTheNodes) {
    TaskSpec task;
    task.rank = 7;
    task.mem_bind = "map_mem:1023";
    EXPECT_EQ(bind_memory(task),
              "slurmstepd: error: --mem-bind=map_mem:1023 of task 7: the machine has none of these "
              "NUMA nodes: it may use all memory\n");
}

}  // namespace
}  // namespace berth
