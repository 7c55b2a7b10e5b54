#include "berth/engine/placement/core_use.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace berth {
namespace {

// The most tasks that share a core, where none takes more than one. With a number per socket, it
// divides that number: then each socket gives whole cores, and sums of cores suffice to count.
std::uint32_t tasks_of_core(const TaskLayout& layout, std::uint32_t cpus, std::uint32_t threads) {
    std::uint32_t most = threads / cpus;
    if (layout.per_core > 0) most = std::min(most, layout.per_core);
    if (layout.per_socket == 0) return most;
    most = std::min(most, layout.per_socket);
    while (layout.per_socket % most != 0) --most;
    return most;
}

std::uint32_t units_of(const CoreUse& use, std::size_t free) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(use.socket_cores, free) / use.cores);
}

}  // namespace

std::uint32_t threads_used(const NodeSpec& node, std::uint32_t most) {
    const std::uint32_t all = std::max(node.threads_per_core, 1U);
    return most == 0 ? all : std::min(all, most);
}

CoreUse core_use(const Near& near, std::uint32_t cpus_per_task, const NodeSpec& node) {
    const TaskLayout& layout = near.layout;
    const std::uint32_t threads = threads_used(node, near.threads_per_core);
    const std::uint32_t cpus = std::max(cpus_per_task, 1U);
    const std::uint64_t whole = (std::uint64_t{cpus} + threads - 1) / threads;
    if (layout.overcommit) return {.cores = whole, .overcommits = true};
    const bool on_sockets = layout.per_socket > 0 || near.sockets > 0;
    const bool shares_cores = cpus > threads && layout.per_core != 1;
    if (!on_sockets && (layout.per_core == 0 || shares_cores))
        return {.cores = cpus, .tasks = threads};
    CoreUse use;
    if (cpus <= threads) {
        use.tasks = tasks_of_core(layout, cpus, threads);
    } else {
        use.cores = whole;
    }
    if (!on_sockets) return use;
    use.on_sockets = true;
    use.of_sockets = near.sockets;
    std::uint64_t units = node.cores_per_socket / use.cores;
    if (layout.per_socket > 0) units = std::min(units, layout.per_socket / use.tasks);
    use.socket_cores = static_cast<std::uint32_t>(units * use.cores);
    return use;
}

std::uint32_t most_tasks(const CoreUse& use, const NodeSpec& node) {
    const std::uint32_t sockets =
        use.of_sockets > 0 ? std::min(use.of_sockets, node.sockets) : node.sockets;
    const std::uint64_t cores =
        use.on_sockets ? std::uint64_t{sockets} * use.socket_cores : node.cores();
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(use.tasks_in(cores), UINT32_MAX));
}

std::uint32_t tasks_on(const CoreUse& use, const NodeSpec& node, const BitSet& cores) {
    std::uint64_t given = cores.count();
    if (use.on_sockets) {
        std::vector<std::uint64_t> units;
        units.reserve(node.sockets);
        for (std::uint32_t s = 0; s < node.sockets; ++s)
            units.push_back(units_of(use, (socket_cores(node, s) & cores).count()));
        std::ranges::sort(units, std::greater{});
        if (use.of_sockets > 0 && use.of_sockets < units.size()) units.resize(use.of_sockets);
        given = use.cores * std::accumulate(units.begin(), units.end(), std::uint64_t{0});
    }
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(use.tasks_in(given), UINT32_MAX));
}

// One more than the most that can be free without room for the last unit. Then some sockets are
// free altogether, which costs all units that they hold. Each of the others may have one core too
// few for its next unit.
std::uint64_t enough_cores(const CoreUse& use, const NodeSpec& node, std::uint32_t tasks) {
    const std::uint64_t needed = use.cores_for(tasks);
    if (use.of_sockets > 0) return node.cores();
    if (!use.on_sockets || node.sockets < 2 || use.socket_cores == 0) return needed;
    const std::uint64_t in_socket = use.socket_cores / use.cores, all = node.sockets;
    const std::uint64_t missing = needed / use.cores - 1;  // Units for which there is room.
    std::uint64_t most = 0;
    for (std::uint64_t whole = 0; whole < all && whole * in_socket <= missing; ++whole) {
        const std::uint64_t others = all - whole;
        const std::uint64_t units = std::min(missing - whole * in_socket, others * (in_socket - 1));
        most = std::max(
            most, whole * node.cores_per_socket + others * (use.cores - 1) + units * use.cores);
    }
    return most + 1;
}

BitSet socket_cores(const NodeSpec& node, std::uint32_t socket) {
    BitSet cores(node.cores());
    const std::uint32_t first = socket * node.cores_per_socket;
    for (std::uint32_t i = 0; i < node.cores_per_socket; ++i) cores.set(first + i);
    return cores;
}

}  // namespace berth
