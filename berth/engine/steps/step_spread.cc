#include "berth/engine/steps/step_spread.h"

#include <algorithm>
#include <tuple>

namespace berth {
namespace {

// The amount of a dimension in a room: its free devices or, for GRES without devices, the job's
// amount.
std::int64_t count_in(const StepRoom& room, DimensionId dimension) {
    std::int64_t devices = 0;
    bool counted = true;
    for (std::size_t i = 0; i < room.spec->devices.size(); ++i) {
        if (room.spec->devices[i].dimension != dimension) continue;
        counted = false;
        if ((room.devices & bit(static_cast<int>(i))) != 0) ++devices;
    }
    return counted ? room.amount[dimension] : devices;
}

// Takes `count` of a demand's dimensions, in order, beyond what `taken` already has. False: there
// are too few.
bool take_from_room(const StepRoom& room, DimensionSet dimensions, std::int64_t count,
                    Resources& taken) {
    for_each_bit(dimensions, [&](int d) {
        const DimensionId dimension(static_cast<std::uint32_t>(d));
        const std::int64_t left = count_in(room, dimension) - taken[dimension];
        const std::int64_t part = std::clamp<std::int64_t>(left, 0, count);
        taken[dimension] += part;
        count -= part;
    });
    return count == 0;
}

// The GRES that this many tasks take there, except for totals.
std::optional<Resources> gres_on(const StepAsk& ask, const StepRoom& room, std::uint32_t tasks) {
    Resources taken;
    if (ask.inherits) {
        if (room.devices != room.held) return std::nullopt;
        for_each_bit(room.held, [&](int i) {
            taken[room.spec->devices[static_cast<std::size_t>(i)].dimension] += 1;
        });
        return taken;
    }
    for (const GresDemand& gres : ask.per_node) {
        if (!take_from_room(room, gres.dimensions, gres.count, taken)) return std::nullopt;
    }
    for (const GresDemand& gres : ask.per_task) {
        if (!take_from_room(room, gres.dimensions, gres.count * tasks, taken)) return std::nullopt;
    }
    if (ask.in_all && !take_from_room(room, ask.in_all->dimensions, 1, taken)) return std::nullopt;
    return taken;
}

// The most tasks that fit in a room.
std::uint32_t slots_in(const StepAsk& ask, const StepRoom& room) {
    const std::uint64_t cpus =
        std::uint64_t{room.cores.count()} * threads_used(*room.spec, ask.threads_per_core);
    const bool takes_any = ask.layout.overcommit && cpus > 0;
    std::uint64_t slots =
        takes_any ? ask.tasks : std::min<std::uint64_t>(cpus / ask.cpus_per_task, ask.tasks);
    if (ask.tasks_per_node > 0) slots = std::min<std::uint64_t>(slots, ask.tasks_per_node);
    auto tasks = static_cast<std::uint32_t>(slots);
    if (ask.per_task.empty()) return tasks > 0 && gres_on(ask, room, tasks) ? tasks : 0;
    // Each task takes at least one of something of which there are a few thousand at most.
    std::uint32_t fits = 0, too_many = tasks + 1;
    while (fits + 1 < too_many) {
        const std::uint32_t middle = fits + (too_many - fits) / 2;
        (gres_on(ask, room, middle) ? fits : too_many) = middle;
    }
    return fits;
}

struct StepCandidate {
    std::size_t room = 0;
    std::uint32_t slots = 0;
    bool named = false;
};

// Chooses ask.nodes nodes with room for all tasks: the first ones if these suffice, otherwise the
// ones with the most room.
std::optional<std::vector<StepCandidate>> choose_nodes(const StepAsk& ask,
                                                       std::vector<StepCandidate> candidates) {
    const auto enough = [&] {
        std::uint64_t slots = 0;
        for (std::size_t i = 0; i < ask.nodes; ++i) slots += candidates[i].slots;
        return slots >= ask.tasks;
    };
    if (candidates.size() < ask.nodes) return std::nullopt;
    std::ranges::sort(candidates, {},
                      [](const StepCandidate& one) { return std::pair(!one.named, one.room); });
    if (!enough()) {
        std::ranges::sort(candidates, {}, [](const StepCandidate& one) {
            return std::tuple(!one.named, UINT32_MAX - one.slots, one.room);
        });
        if (!enough()) return std::nullopt;
    }
    candidates.resize(ask.nodes);
    std::ranges::sort(candidates, {}, &StepCandidate::room);
    return candidates;
}

// Deals tasks as Slurm counts them for block and cyclic distributions: in turn, one to each node
// that has room, or `plane` at a time. Every node gets a task.
std::vector<StepPart> deal_tasks(const StepAsk& ask, const std::vector<StepCandidate>& nodes) {
    std::vector<StepPart> parts;
    parts.reserve(nodes.size());
    for (const StepCandidate& node : nodes) parts.push_back({.room = node.room});
    for (std::uint32_t left = ask.tasks; left > 0;) {
        for (std::size_t i = 0; i < parts.size() && left > 0; ++i) {
            const auto none_yet = static_cast<std::uint32_t>(
                std::count_if(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1, parts.end(),
                              [](const StepPart& part) { return part.tasks == 0; }));
            const std::uint32_t at_once = ask.order == TaskOrder::plane ? ask.plane
                                          : ask.layout.pack             ? UINT32_MAX
                                                                        : 1;
            const std::uint32_t some = std::min(
                {at_once, nodes[i].slots - parts[i].tasks, left - std::min(left, none_yet)});
            parts[i].tasks += some;
            left -= some;
        }
    }
    return parts;
}

// Deals the rest of a total, beyond one on each node, in turn.
bool deal_gres(const StepAsk& ask, const std::vector<StepRoom>& rooms,
               std::vector<StepPart>& parts) {
    if (!ask.in_all) return true;
    std::int64_t left = ask.in_all->count - static_cast<std::int64_t>(parts.size());
    if (left < 0) return false;
    for (bool dealt = true; left > 0 && dealt;) {
        dealt = false;
        for (StepPart& part : parts) {
            if (left == 0) break;
            if (!take_from_room(rooms[part.room], ask.in_all->dimensions, 1, part.gres)) continue;
            --left;
            dealt = true;
        }
    }
    return left == 0;
}

}  // namespace

CoreUse core_use(const StepAsk& ask, const NodeSpec& node, std::uint64_t cores,
                 std::uint32_t tasks) {
    Near near{.threads_per_core = ask.threads_per_core, .layout = ask.layout};
    near.layout.overcommit = false;  // Its tasks have their cores where these suffice.
    const CoreUse as_job = core_use(near, ask.cpus_per_task, node);
    if (as_job.cores_for(tasks) <= cores) return as_job;
    near.layout = {};
    return core_use(near, ask.cpus_per_task, node);
}

std::vector<std::vector<std::uint32_t>> ranks_of(const StepAsk& ask,
                                                 const std::vector<StepPart>& parts) {
    std::uint32_t at_once = UINT32_MAX;  // A node is filled before the next.
    if (ask.order == TaskOrder::cyclic) at_once = 1;
    if (ask.order == TaskOrder::plane) at_once = std::max(ask.plane, 1U);
    std::vector<std::vector<std::uint32_t>> ranks(parts.size());
    for (std::uint32_t next = 0; next < ask.tasks;) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            for (std::uint32_t n = 0; n < at_once && ranks[i].size() < parts[i].tasks; ++n) {
                ranks[i].push_back(next++);
            }
        }
    }
    return ranks;
}

std::optional<std::vector<StepPart>> spread_step(const StepAsk& ask,
                                                 const std::vector<StepRoom>& rooms) {
    std::vector<StepCandidate> candidates;
    std::size_t named = 0;
    for (std::size_t i = 0; i < rooms.size(); ++i) {
        const std::uint32_t slots = slots_in(ask, rooms[i]);
        if (slots == 0) continue;
        const bool is_named = std::ranges::find(ask.named, rooms[i].node) != ask.named.end();
        named += is_named ? 1 : 0;
        candidates.push_back({.room = i, .slots = slots, .named = is_named});
    }
    if (named < ask.named.size()) return std::nullopt;
    const auto nodes = choose_nodes(ask, std::move(candidates));
    if (!nodes) return std::nullopt;
    std::vector<StepPart> parts = deal_tasks(ask, *nodes);
    for (StepPart& part : parts) {
        const StepRoom& room = rooms[part.room];
        const std::size_t all = room.cores.count();
        const CoreUse use = core_use(ask, *room.spec, all, part.tasks);
        const std::uint64_t needed = std::min<std::uint64_t>(use.cores_for(part.tasks), all);
        part.cores = static_cast<std::uint32_t>(ask.exact ? needed : all);
        const auto gres = gres_on(ask, room, part.tasks);
        BERTH_ASSERT(gres.has_value());
        part.gres = *gres;
    }
    if (!deal_gres(ask, rooms, parts)) return std::nullopt;
    return parts;
}

}  // namespace berth
