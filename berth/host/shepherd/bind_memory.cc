#include "berth/host/shepherd/bind_memory.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "berth/base/text.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

constexpr std::size_t kBitsOfWord = 8 * sizeof(unsigned long);
constexpr const char* kNodes = "/sys/devices/system/node/";

BitSet listed_in(const std::string& path, std::size_t most) {
    const auto text = read_file(path);
    if (!text.ok()) return BitSet(most);
    const auto set = BitSet::parse(trim(*text), most);
    return set.ok() ? *set : BitSet(most);
}

// Those with CPUs that this process may run on.
BitSet nodes_of_own_cpus(const BitSet& machine) {
    BitSet near(kNumaNodesMax);
    cpu_set_t own;
    if (::sched_getaffinity(0, sizeof own, &own) != 0) return near;
    for (std::size_t n = machine.find_first(); n != BitSet::kNone; n = machine.find_next(n)) {
        const BitSet cpus =
            listed_in(kNodes + ("node" + std::to_string(n) + "/cpulist"), CPU_SETSIZE);
        for (std::size_t cpu = cpus.find_first(); cpu != BitSet::kNone; cpu = cpus.find_next(cpu)) {
            if (!CPU_ISSET(cpu, &own)) continue;
            near.set(n);
            break;
        }
    }
    return near;
}

// The kernel's preference for several nodes is newer than that for one.
int mode_of(const MemBind& bind, std::size_t nodes) {
    constexpr int kPreferredMany = 5;  // MPOL_PREFERRED_MANY, Linux 5.15.
    if (!bind.prefer) return MPOL_BIND;
    return nodes == 1 ? MPOL_PREFERRED : kPreferredMany;
}

}  // namespace

BitSet nodes_to_bind(const MemBind& bind, std::size_t local, const BitSet& near) {
    BitSet nodes(kNumaNodesMax);
    switch (bind.kind) {
        case MemBind::Kind::none: break;
        case MemBind::Kind::local: return near;
        case MemBind::Kind::rank:
            if (local < kNumaNodesMax) nodes.set(local);
            break;
        case MemBind::Kind::map:
        case MemBind::Kind::mask:
            for (const std::uint32_t node : bind.nodes[local % bind.nodes.size()]) nodes.set(node);
    }
    return nodes;
}

std::string bind_memory(const TaskSpec& task) {
    const auto bind = MemBind::parse(task.mem_bind);
    if (!bind.ok() || bind->kind == MemBind::Kind::none) return {};
    const std::string about = "slurmstepd: error: --mem-bind=" + task.mem_bind + " of task " +
                              std::to_string(task.rank) + ": ";
    const std::string all = ": it may use all memory\n";
    const BitSet machine = listed_in(kNodes + std::string("has_memory"), kNumaNodesMax);
    BitSet nodes = nodes_to_bind(*bind, task.local, nodes_of_own_cpus(machine));
    nodes &= machine;
    if (nodes.empty()) return about + "the machine has none of these NUMA nodes" + all;
    std::array<unsigned long, kNumaNodesMax / kBitsOfWord> mask{};
    for (std::size_t n = nodes.find_first(); n != BitSet::kNone; n = nodes.find_next(n))
        mask[n / kBitsOfWord] |= 1UL << (n % kBitsOfWord);
    const int mode = mode_of(*bind, nodes.count());
    if (::syscall(SYS_set_mempolicy, mode, mask.data(), kNumaNodesMax + 1) == 0) return {};
    return about + std::strerror(errno) + all;
}

}  // namespace berth
