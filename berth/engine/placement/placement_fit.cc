#include "berth/engine/placement/placement_fit.h"

#include <algorithm>
#include <bit>

#include "berth/base/assert.h"
#include "berth/engine/placement/socket_gpus.h"

namespace berth {
namespace {

template <class Visit>
void for_each_dimension(DimensionSet dimensions, Visit visit) {
    for (; dimensions != 0; dimensions &= dimensions - 1) {
        visit(DimensionId(static_cast<std::uint32_t>(std::countr_zero(dimensions))));
    }
}

// Takes `count` of what is left: from one dimension if one has enough, preferring the one with the
// least to spare; otherwise from several, the fullest first.
bool take_of(DimensionSet dimensions, std::int64_t count, Resources& left, Resources& taken) {
    std::optional<DimensionId> tightest;
    std::int64_t all = 0;
    for_each_dimension(dimensions, [&](DimensionId d) {
        all += std::max<std::int64_t>(0, left[d]);
        if (left[d] >= count && (!tightest || left[d] < left[*tightest])) tightest = d;
    });
    if (all < count) return false;
    while (count > 0) {
        std::optional<DimensionId> from = tightest;
        for_each_dimension(dimensions, [&](DimensionId d) {
            if (!tightest && (!from || left[d] > left[*from])) from = d;
        });
        const std::int64_t some = std::min(count, left[*from]);
        left[*from] -= some;
        taken[*from] += some;
        count -= some;
    }
    return true;
}

// Demands that only one dimension can serve go first; the others may be served by what these leave.
bool take_gres(const std::vector<GresDemand>& wanted, std::int64_t times, bool typed,
               Resources& left, Resources& taken) {
    for (const GresDemand& gres : wanted) {
        if (std::has_single_bit(gres.dimensions) != typed) continue;
        if (!take_of(gres.dimensions, gres.count * times, left, taken)) return false;
    }
    return true;
}

bool take_all_gres(const Demand& demand, std::uint32_t tasks, Resources& left, NodeTake& take) {
    take.of_total.assign(demand.gres_total.size(), 1);
    for (const bool typed : {true, false}) {
        if (!take_gres(demand.gres_per_node, 1, typed, left, take.amount)) return false;
        if (!take_gres(demand.gres_per_task, tasks, typed, left, take.amount)) return false;
        for (const GresDemand& gres : demand.gres_total) {
            if (std::has_single_bit(gres.dimensions) != typed) continue;
            if (!take_of(gres.dimensions, 1, left, take.amount)) return false;
        }
    }
    return true;
}

// Whole nodes: everything but the memory, which is as requested. The request itself must still fit
// in `room`.
std::optional<NodeTake> take_whole(const Demand& demand, const NodeSpec& node,
                                   const Resources& room, NodeTake take) {
    Resources left = node.capacity;
    NodeTake within = take;
    if (!take_all_gres(demand, take.tasks, left, within)) return std::nullopt;
    const Bytes memory = take.amount.memory();
    take = within;
    take.amount = node.capacity;
    take.amount.set_memory(memory);
    for (std::size_t i = 0; i < take.of_total.size(); ++i) {
        for_each_dimension(demand.gres_total[i].dimensions,
                           [&](DimensionId d) { take.of_total[i] += left[d]; });
    }
    if (!fits(take.amount, room)) return std::nullopt;
    return take;
}

// Cores of all of these sockets, as far as there are enough.
void want_socket_gpus(const Near& near, SocketRule& rule) {
    rule.in_turn = true;
    rule.sockets = near.sockets;
    rule.gpus = near.layout.gpus_per_socket;
    rule.gpu_types = near.socket_gpus;
}

}  // namespace

SocketRule socket_rule(CoreOrder order, const CoreUse& use) {
    SocketRule rule;
    rule.in_turn = order == CoreOrder::cyclic || order == CoreOrder::fcyclic;
    if (use.on_sockets) {
        rule.most = use.socket_cores;
        rule.unit = static_cast<std::uint32_t>(use.cores);
    } else if (order == CoreOrder::cyclic && use.cores % use.tasks == 0) {
        rule.unit = static_cast<std::uint32_t>(use.cores / use.tasks);
    }
    return rule;
}

std::optional<NodeTake> take_on(const Demand& demand, const NodeSpec& node, const Resources& room,
                                std::uint32_t tasks) {
    const CoreUse use = core_use(demand, node);
    if (tasks > most_tasks(use, node)) return std::nullopt;
    const NodeNeed need = need_on(demand, node, tasks);
    NodeTake take;
    take.tasks = tasks;
    take.cores = need.cores;
    take.cpus = need.cpus;
    take.amount.set_cpu(cores(need.counted_cpus));
    take.amount.set_memory(need.memory);
    if (demand.partition_cpus) {
        if (need.cpus > room[*demand.partition_cpus]) return std::nullopt;
        take.amount[*demand.partition_cpus] = need.cpus;
    }
    if (demand.exclusive) return take_whole(demand, node, room, take);
    take.sockets = socket_rule(demand.near.layout.over_sockets, use);
    if (demand.near.sockets > 0) want_socket_gpus(demand.near, take.sockets);
    if (take.amount.cpu() > room.cpu() || take.amount.memory() > room.memory()) {
        return std::nullopt;
    }
    Resources left = room;
    if (!take_all_gres(demand, tasks, left, take)) return std::nullopt;
    if (!demand.near.any_cores || demand.near.sockets == 0) return take;
    bool has_enough = false;
    for_each_dimension(demand.near.socket_gpus, [&](DimensionId d) {
        const std::int64_t enough =
            enough_socket_gpus(node, d, demand.near.layout.gpus_per_socket, demand.near.sockets);
        has_enough = has_enough || enough > 0;
        take.amount[d] = std::max(take.amount[d], enough);
    });
    return has_enough && fits(take.amount, room) ? std::optional(take) : std::nullopt;
}

std::uint32_t tasks_that_fit(const Demand& demand, const NodeSpec& node, const Resources& room,
                             std::uint32_t most) {
    const std::uint32_t least = tasks_per_node_min(demand);
    most = std::min(most, tasks_per_node_max(demand));
    const std::int64_t by_cpu =
        demand.near.layout.overcommit
            ? most
            : room.cpu().count() / (1000 * std::max<std::int64_t>(1, demand.cpus_per_task));
    most = static_cast<std::uint32_t>(std::clamp<std::int64_t>(by_cpu, 0, most));
    if (most < least || !take_on(demand, node, room, least)) return 0;
    if (take_on(demand, node, room, most)) return most;
    std::uint32_t low = least, high = most;  // low fits, high does not.
    while (high - low > 1) {
        const std::uint32_t middle = low + (high - low) / 2;
        (take_on(demand, node, room, middle) ? low : high) = middle;
    }
    return low;
}

std::int64_t more_of_total(const Demand& demand, const NodeTake& take, const Resources& room,
                           std::size_t i) {
    std::int64_t more = 0;
    if (demand.exclusive) return more;  // It has them all.
    for_each_dimension(demand.gres_total[i].dimensions, [&](DimensionId d) {
        more += std::max<std::int64_t>(0, room[d] - take.amount[d]);
    });
    return more;
}

void take_more_of_total(const Demand& demand, NodeTake& take, const Resources& room, std::size_t i,
                        std::int64_t count) {
    Resources left = room - take.amount;
    const bool enough = take_of(demand.gres_total[i].dimensions, count, left, take.amount);
    BERTH_ASSERT(enough);
    take.of_total[i] += count;
}

std::uint32_t tasks_per_node_max(const Demand& demand) {
    if (!demand.tasks) return demand.tasks_per_node;
    const std::uint32_t others = std::max(demand.nodes_min, 1U) - 1;  // At least one task for each.
    const std::uint32_t most = *demand.tasks > others ? *demand.tasks - others : 1;
    return demand.tasks_per_node == 0 ? most : std::min(most, demand.tasks_per_node);
}

std::uint32_t tasks_per_node_min(const Demand& demand) {
    if (!demand.tasks) return demand.tasks_per_node;
    return demand.nodes_max == 1 ? *demand.tasks : 1;
}

}  // namespace berth
