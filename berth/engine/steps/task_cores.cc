#include "berth/engine/steps/task_cores.h"

#include <map>

namespace berth {
namespace {

bool goes_round(CoreOrder order) {
    return order == CoreOrder::cyclic || order == CoreOrder::fcyclic;
}

// The same things, dealt to their groups in turn: one of each group, then the next of each.
template <class Thing, class GroupOf>
std::vector<Thing> in_turn(const std::vector<Thing>& things, GroupOf group_of) {
    std::map<std::uint64_t, std::vector<const Thing*>> groups;
    for (const Thing& thing : things) groups[group_of(thing)].push_back(&thing);
    std::vector<Thing> dealt;
    for (std::size_t round = 0; dealt.size() < things.size(); ++round) {
        for (const auto& [group, members] : groups) {
            if (round < members.size()) dealt.push_back(*members[round]);
        }
    }
    return dealt;
}

// Consecutive tasks on the cores in this order.
std::vector<BitSet> blocks_of(const std::vector<std::size_t>& order, const CoreUse& use,
                              std::uint32_t tasks, std::size_t size) {
    std::vector<BitSet> blocks;
    for (std::uint64_t task = 0; task < tasks; ++task) {
        BitSet block(size);
        const std::uint64_t first = task * use.cores / use.tasks;
        const std::uint64_t last = ((task + 1) * use.cores - 1) / use.tasks;
        for (std::uint64_t core = first; core <= last; ++core) block.set(order[core]);
        blocks.push_back(std::move(block));
    }
    return blocks;
}

// Of a socket's blocks, those of one core follow on each other, or go round its cores; then they
// follow socket by socket, or go round the sockets.
std::vector<BitSet> in_order(const std::vector<BitSet>& blocks, const TaskLayout& layout,
                             std::uint64_t cores_per_socket) {
    const auto socket_of = [&](const BitSet& block) {
        return block.find_first() / cores_per_socket;
    };
    const bool over_sockets = goes_round(layout.over_sockets);
    // As in Slurm, cores are as sockets unless that is said.
    const bool over_cores =
        layout.over_cores == CoreOrder::as_fits ? over_sockets : goes_round(layout.over_cores);
    std::vector<BitSet> ordered = blocks;
    if (over_cores) {
        std::map<std::uint64_t, std::vector<BitSet>> by_socket;
        for (const BitSet& block : blocks) by_socket[socket_of(block)].push_back(block);
        ordered.clear();
        for (const auto& [socket, own] : by_socket) {
            const auto dealt = in_turn(own, [](const BitSet& block) { return block.find_first(); });
            ordered.insert(ordered.end(), dealt.begin(), dealt.end());
        }
    }
    return over_sockets ? in_turn(ordered, socket_of) : ordered;
}

// All of these cores on the sockets of the block.
BitSet with_sockets(const NodeSpec& node, const BitSet& block, const BitSet& cores) {
    BitSet wide(cores.size());
    for (std::uint32_t s = 0; s < node.sockets; ++s) {
        const BitSet here = socket_cores(node, s);
        if (here.intersects(block)) wide |= here & cores;
    }
    return wide;
}

// Each task on one of the sockets: that many on each, or one on each in turn. Empty: there are more
// tasks than these take.
std::vector<BitSet> sockets_of_tasks(const TaskLayout& layout, const NodeSpec& node,
                                     const BitSet& cores, std::uint32_t tasks) {
    std::vector<BitSet> sockets;
    for (std::uint32_t s = 0; s < node.sockets; ++s) {
        BitSet here = socket_cores(node, s) & cores;
        if (!here.empty()) sockets.push_back(std::move(here));
    }
    const std::uint64_t most = std::uint64_t{layout.per_socket} * sockets.size();
    if (tasks > most) return {};
    std::vector<BitSet> places;
    for (std::uint32_t task = 0; task < tasks; ++task) {
        const std::size_t socket =
            goes_round(layout.over_sockets) ? task % sockets.size() : task / layout.per_socket;
        places.push_back(sockets[socket]);
    }
    return places;
}

}  // namespace

std::vector<BitSet> cores_of_tasks(const StepAsk& ask, const NodeSpec& node, const BitSet& cores,
                                   std::uint32_t tasks) {
    std::vector<BitSet> all(tasks, cores);
    if (ask.bind == CpuBind::Kind::none) return all;
    std::vector<std::size_t> order;
    for (std::size_t c = cores.find_first(); c != BitSet::kNone; c = cores.find_next(c)) {
        order.push_back(c);
    }
    if (ask.layout.over_sockets == CoreOrder::fcyclic) {
        order = in_turn(order, [&](std::size_t core) { return core / node.cores_per_socket; });
    }
    const CoreUse use = core_use(ask, node, cores.count(), tasks);
    const std::uint64_t needed = use.cores_for(tasks);
    const bool is_asked = ask.bind != CpuBind::Kind::automatic;
    const bool in_blocks = is_asked ? needed <= order.size() : needed == order.size();
    if (in_blocks) {
        std::vector<BitSet> blocks =
            in_order(blocks_of(order, use, tasks, cores.size()), ask.layout, node.cores_per_socket);
        if (ask.bind == CpuBind::Kind::sockets)
            for (BitSet& block : blocks) block = with_sockets(node, block, cores);
        return blocks;
    }
    if (is_asked || ask.layout.per_socket == 0) return all;
    std::vector<BitSet> on_sockets = sockets_of_tasks(ask.layout, node, cores, tasks);
    if (on_sockets.empty()) return all;
    return on_sockets;
}

}  // namespace berth
