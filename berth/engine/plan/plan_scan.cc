#include "berth/engine/plan/plan_scan.h"

#include <algorithm>
#include <bit>
#include <queue>

namespace berth {
namespace {

// What every step must have free for the node to be of any use: a lower bound that is quick to
// compare.
Resources least_need(const Demand& demand, const NodeSpec& node) {
    const std::uint32_t tasks = tasks_per_node_min(demand);
    const NodeNeed need = need_on(demand, node, tasks);
    Resources least;
    least.set_cpu(cores(need.cpus));
    least.set_memory(need.memory);
    const auto add = [&](const std::vector<GresDemand>& wanted, std::int64_t times) {
        for (const GresDemand& gres : wanted) {
            if (std::popcount(gres.dimensions) != 1) continue;  // Another dimension may serve it.
            const auto d = static_cast<std::uint32_t>(std::countr_zero(gres.dimensions));
            least[DimensionId(d)] += gres.count * times;
        }
    };
    add(demand.gres_per_node, 1);
    add(demand.gres_per_task, tasks);
    return least;
}

// One node while the start of the window slides forward.
class Sliding {
public:
    Sliding(const Demand& demand, NodeId node, const ClusterSpec& spec, const Timeline& timeline)
        : demand_(&demand),
          spec_(&spec.node(node)),
          timeline_(&timeline),
          least_(least_need(demand, *spec_)) {
        offer_.node = node;
    }

    // Finds what the node offers to a job that starts at `start`.
    void move_to(Time start, Duration length) {
        const Timeline& steps = *timeline_;
        const Time end = after(start, length);
        const std::size_t first = steps.step_at(start);
        offer_.tasks = 0;
        offer_.room = steps.least_free(start, end);
        std::size_t next = first;
        std::optional<std::size_t> blocked;
        for (; next < steps.size() && (next == first || steps.start(next) < end); ++next) {
            if (!steps.has_room(next, least_)) blocked = next;
        }
        if (blocked) {  // Every start before the end of that step is blocked.
            next_change_ = steps.end(*blocked);
            return;
        }
        offer_.tasks = tasks_that_fit(*demand_, *spec_, offer_.room, tasks_per_node_max(*demand_));
        next_change_ = steps.end(first);
        if (next < steps.size()) {  // The first start whose window reaches into that step.
            next_change_ = std::min(next_change_, steps.start(next) - length + Duration(1));
        }
    }

    const Offer& offer() const { return offer_; }
    Time next_change() const { return next_change_; }  // The offer stays the same until then.

private:
    const Demand* demand_;
    const NodeSpec* spec_;
    const Timeline* timeline_;
    Resources least_;
    Offer offer_;
    Time next_change_ = kNever;
};

using Slidings = std::vector<Sliding>;

// A one-node job: searches each node by itself and takes the best of the earliest offers.
std::optional<Found> find_on_one(const Demand& demand, const Window& window, Slidings& nodes,
                                 const PlacementPreference& preference) {
    Time best = window.latest;
    std::vector<Offer> offers;
    for (Sliding& node : nodes) {
        const std::size_t required = demand.required.find_first();
        if (required != BitSet::kNone && node.offer().node.index() != required) continue;
        for (Time at = window.earliest; at <= best; at = node.next_change()) {
            node.move_to(at, window.length);
            if (node.offer().tasks == 0) {
                if (node.next_change() == kNever) break;
                continue;
            }
            if (at < best) offers.clear();
            best = at;
            offers.push_back(node.offer());
            break;
        }
    }
    auto parts = gather(demand, offers, preference);
    if (!parts) return std::nullopt;
    return Found{best, *std::move(parts)};
}

// A gang: slides all nodes together, to each time at which one of their offers changes.
std::optional<Found> find_for_gang(const Demand& demand, const Window& window, Slidings& nodes,
                                   const PlacementPreference& preference) {
    using Change = std::pair<Time, std::size_t>;
    std::priority_queue<Change, std::vector<Change>, std::greater<>> changes;
    for (std::size_t i = 0; i < nodes.size(); ++i) changes.emplace(window.earliest, i);
    std::size_t offering = 0;
    std::uint64_t tasks = 0;
    std::vector<Offer> offers;
    while (!changes.empty() && changes.top().first <= window.latest) {
        const Time at = changes.top().first;
        while (!changes.empty() && changes.top().first == at) {
            const std::size_t i = changes.top().second;
            changes.pop();
            const std::uint32_t before = nodes[i].offer().tasks;
            nodes[i].move_to(at, window.length);
            const std::uint32_t now = nodes[i].offer().tasks;
            tasks += std::uint64_t{now} - before;
            offering = offering + (now > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
            if (nodes[i].next_change() < kNever) changes.emplace(nodes[i].next_change(), i);
        }
        if (offering < demand.nodes_min || tasks < demand.tasks.value_or(0)) continue;
        offers.clear();
        for (const Sliding& node : nodes) {
            if (node.offer().tasks > 0) offers.push_back(node.offer());
        }
        if (auto parts = gather(demand, offers, preference)) return Found{at, *std::move(parts)};
    }
    return std::nullopt;
}

}  // namespace

std::optional<Found> scan_start(const Demand& demand, const Window& window, const PlanBook& book,
                                const BitSet& usable, const PlacementPreference& preference) {
    std::optional<Found> best;
    Window left = window;
    for (const BitSet& choice : demand.choices) {
        Slidings nodes;
        for (std::size_t n = choice.find_first(); n != BitSet::kNone; n = choice.find_next(n)) {
            if (!usable.test(n)) continue;
            const NodeId node = NodeId::from_index(n);
            nodes.emplace_back(demand, node, preference.view.spec(),
                               book.timeline(node, demand.reservation));
        }
        auto found = demand.nodes_max == 1 ? find_on_one(demand, left, nodes, preference)
                                           : find_for_gang(demand, left, nodes, preference);
        if (!found) continue;
        best = std::move(found);
        if (best->start == window.earliest) break;
        left.latest = best->start - Duration(1);
    }
    return best;
}

std::optional<Time> first_offer(const Demand& demand, const Window& window, const PlanBook& book,
                                NodeId node, const ClusterSpec& spec) {
    Sliding sliding(demand, node, spec, book.timeline(node, demand.reservation));
    for (Time at = window.earliest; at <= window.latest; at = sliding.next_change()) {
        sliding.move_to(at, window.length);
        if (sliding.offer().tasks > 0) return at;
        if (sliding.next_change() == kNever) break;
    }
    return std::nullopt;
}

}  // namespace berth
