#include "berth/engine/placement/placement_gang.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace berth {
namespace {

// The counts over all nodes: tasks, and each GRES total of the job. Also the room of one node for
// each of them.
using Counts = std::vector<std::int64_t>;

// The largest sum that any n of these nodes have, for each count.
std::vector<Counts> best_sums(const std::vector<const Counts*>& rooms, std::size_t width) {
    std::vector<Counts> sums(rooms.size() + 1, Counts(width));
    std::vector<std::int64_t> column(rooms.size());
    for (std::size_t i = 0; i < width; ++i) {
        for (std::size_t n = 0; n < rooms.size(); ++n) column[n] = (*rooms[n])[i];
        std::ranges::sort(column, std::greater{});
        for (std::size_t n = 0; n < rooms.size(); ++n) sums[n + 1][i] = sums[n][i] + column[n];
    }
    return sums;
}

// The placement score of taking this from a node. Where GPUs are shared, the score sees each GPU:
// the job gets the first whole ones.
std::int64_t score_of(NodeId node, const NodeTake& take, const Resources& rest,
                      const PlacementPreference& preference) {
    Candidate candidate{node, take.amount, rest, {}, 0, kWholeGpu, preference.job};
    const std::vector<GpuLeft> gpus = preference.view.gpus(node);
    Resources wanted = take.amount;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        if (gpus[i].milli < kWholeGpu || wanted[gpus[i].type] == 0) continue;
        candidate.chosen |= bit(static_cast<int>(i));
        wanted[gpus[i].type] -= 1;
    }
    const bool all_there =
        std::ranges::all_of(gpus, [&](const GpuLeft& gpu) { return wanted[gpu.type] == 0; });
    if (all_there) candidate.gpus = gpus;  // Otherwise the start is later.
    if (!all_there) candidate.chosen = 0;
    return preference.policy.get().score(candidate, preference.view);
}

class Gathering {
public:
    Gathering(const Demand& demand, std::span<const Offer> offers,
              const PlacementPreference& preference)
        : demand_(demand), offers_(offers), preference_(preference) {
        wanted_.push_back(demand.tasks.value_or(0));
        for (const GresDemand& gres : demand.gres_total) wanted_.push_back(gres.count);
        for (const Offer& offer : offers) rooms_.push_back(room_of(offer));
    }

    std::optional<std::vector<Part>> run() {
        for (std::size_t n = 0; n < offers_.size(); ++n) {
            if (is_required(offers_[n])) required_.push_back(n);
        }
        if (required_.size() != demand_.required.count()) return std::nullopt;
        const std::size_t fewest = std::max<std::size_t>(demand_.nodes_min, required_.size());
        std::size_t most = std::min<std::size_t>(demand_.nodes_max, offers_.size());
        for (std::size_t i = 0; i < wanted_.size(); ++i) {  // At least one of each on every node.
            if (i == 0 && !demand_.tasks) continue;
            most = std::min(most, static_cast<std::size_t>(std::max<std::int64_t>(0, wanted_[i])));
        }
        const auto sums = unused_sums({});
        if (fewest > most || !covers(sums[most], wanted_)) return std::nullopt;
        if (!demand_.fewest_nodes) return with(most);
        for (std::size_t nodes = fewest; nodes <= most; ++nodes) {
            if (!covers(sums[nodes], wanted_)) continue;
            if (auto parts = with(nodes)) return parts;
        }
        return std::nullopt;
    }

private:
    bool is_required(const Offer& offer) const {
        return offer.node.index() < demand_.required.size() &&
               demand_.required.test(offer.node.index());
    }

    Counts room_of(const Offer& offer) const {
        Counts room{offer.tasks};
        if (demand_.gres_total.empty()) return room;
        const NodeSpec& node = preference_.view.spec().node(offer.node);
        const auto take = take_on(demand_, node, offer.room, tasks_per_node_min(demand_));
        BERTH_ASSERT(take);
        for (std::size_t i = 0; i < take->of_total.size(); ++i) {
            room.push_back(take->of_total[i] + more_of_total(demand_, *take, offer.room, i));
        }
        return room;
    }

    static bool covers(const Counts& have, const Counts& want) {
        return std::ranges::equal(have, want, std::greater_equal{});
    }

    std::vector<Counts> unused_sums(std::span<const std::size_t> used) const {
        std::vector<const Counts*> rooms;
        for (std::size_t n = 0; n < rooms_.size(); ++n) {
            if (std::ranges::find(used, n) == used.end()) rooms.push_back(&rooms_[n]);
        }
        return best_sums(rooms, wanted_.size());
    }

    // The required nodes, then repeatedly the best node that leaves the rest feasible.
    std::optional<std::vector<Part>> with(std::size_t nodes) const {
        std::vector<std::size_t> chosen = required_;
        Counts left = wanted_;
        const auto subtract = [&](std::size_t n) {
            for (std::size_t i = 0; i < left.size(); ++i) left[i] -= rooms_[n][i];
        };
        std::ranges::for_each(chosen, subtract);
        while (chosen.size() < nodes) {
            const auto next = best_next(chosen, left, nodes - chosen.size());
            if (!next) return std::nullopt;
            chosen.push_back(*next);
            subtract(*next);
        }
        if (std::ranges::any_of(left, [](std::int64_t n) { return n > 0; })) return std::nullopt;
        return share_out(chosen);
    }

    std::optional<std::size_t> best_next(std::span<const std::size_t> used, const Counts& left,
                                         std::size_t slots) const {
        const std::vector<Counts> sums = unused_sums(used);
        std::optional<std::size_t> best;
        std::int64_t best_score = 0;
        for (std::size_t n = 0; n < offers_.size(); ++n) {
            if (std::ranges::find(used, n) != used.end()) continue;
            if (!leaves_possible(rooms_[n], sums, left, slots)) continue;
            const std::int64_t points = score(n, left, slots);
            if (best && points <= best_score) continue;
            best = n;
            best_score = points;
        }
        return best;
    }

    // Whether this many slots, one of them this node, can hold what is left. Exact for each count
    // alone. Whether one set of nodes satisfies all counts is checked at the end.
    static bool leaves_possible(const Counts& room, const std::vector<Counts>& sums,
                                const Counts& left, std::size_t slots) {
        for (std::size_t i = 0; i < left.size(); ++i) {
            const std::int64_t most = std::min(sums[slots][i], room[i] + sums[slots - 1][i]);
            if (most < left[i]) return false;
        }
        return true;
    }

    std::int64_t score(std::size_t n, const Counts& left, std::size_t slots) const {
        const Offer& offer = offers_[n];
        const NodeSpec& node = preference_.view.spec().node(offer.node);
        const auto others = static_cast<std::int64_t>(slots - 1);
        const std::int64_t here =
            demand_.fewest_nodes ? left[0] - others : (left[0] + others) / (others + 1);
        const auto tasks = demand_.tasks ? static_cast<std::uint32_t>(std::clamp<std::int64_t>(
                                               here, tasks_per_node_min(demand_), offer.tasks))
                                         : demand_.tasks_per_node;
        auto take = take_on(demand_, node, offer.room, tasks);
        BERTH_ASSERT(take);
        for (std::size_t i = 0; i < take->of_total.size(); ++i) {
            const std::int64_t more = std::clamp<std::int64_t>(
                left[i + 1] - others - 1, 0, more_of_total(demand_, *take, offer.room, i));
            take_more_of_total(demand_, *take, offer.room, i, more);
        }
        const Resources rest = offer.room - take->amount;
        return score_of(offer.node, *take, rest, preference_);
    }

    std::vector<std::int64_t> distribute(std::span<const std::size_t> chosen, std::size_t i) const {
        std::vector<std::int64_t> given(chosen.size(), 1);
        std::int64_t rest = wanted_[i] - static_cast<std::int64_t>(chosen.size());
        const auto room = [&](std::size_t n) { return rooms_[chosen[n]][i] - given[n]; };
        // Fill node after node, so that only the last one is filled in part.
        if (demand_.fewest_nodes) {
            for (std::size_t n = 0; n < chosen.size(); ++n) {
                const std::int64_t more = std::clamp<std::int64_t>(rest, 0, room(n));
                given[n] += more;
                rest -= more;
            }
            return given;
        }
        for (bool any = true; rest > 0 && any;) {  // Evenly.
            any = false;
            for (std::size_t n = 0; n < chosen.size() && rest > 0; ++n) {
                if (room(n) <= 0) continue;
                ++given[n];
                --rest;
                any = true;
            }
        }
        return given;
    }

    std::optional<std::vector<Part>> share_out(std::vector<std::size_t> chosen) const {
        std::vector<std::int64_t> tasks(chosen.size(), demand_.tasks_per_node);
        if (demand_.tasks) tasks = distribute(chosen, 0);
        std::vector<Part> parts;
        for (std::size_t n = 0; n < chosen.size(); ++n) {
            const Offer& offer = offers_[chosen[n]];
            auto take = take_on(demand_, preference_.view.spec().node(offer.node), offer.room,
                                static_cast<std::uint32_t>(tasks[n]));
            if (!take) return std::nullopt;
            parts.push_back({offer.node, *std::move(take)});
        }
        for (std::size_t i = 0; i < demand_.gres_total.size() && !demand_.exclusive; ++i) {
            if (!give_total(chosen, i, parts)) return std::nullopt;
        }
        std::ranges::sort(parts, {}, &Part::node);
        return parts;
    }

    bool give_total(std::span<const std::size_t> chosen, std::size_t i,
                    std::vector<Part>& parts) const {
        const std::vector<std::int64_t> counts = distribute(chosen, i + 1);
        for (std::size_t n = 0; n < parts.size(); ++n) {
            NodeTake& take = parts[n].take;
            const Resources& room = offers_[chosen[n]].room;
            const std::int64_t more = counts[n] - take.of_total[i];
            if (more > more_of_total(demand_, take, room, i)) return false;
            take_more_of_total(demand_, take, room, i, more);
        }
        return true;
    }

    const Demand& demand_;
    std::span<const Offer> offers_;
    const PlacementPreference& preference_;
    Counts wanted_;              // Tasks (0: a fixed number on each node), then gres_total.
    std::vector<Counts> rooms_;  // By offer.
    std::vector<std::size_t> required_;
};

// The most common case: one node holds everything.
std::optional<std::vector<Part>> gather_one(const Demand& demand, std::span<const Offer> offers,
                                            const PlacementPreference& preference) {
    const std::size_t required = demand.required.find_first();
    std::optional<Part> best;
    std::int64_t best_score = 0;
    for (const Offer& offer : offers) {
        if (required != BitSet::kNone && offer.node.index() != required) continue;
        const NodeSpec& node = preference.view.spec().node(offer.node);
        auto take = take_on(demand, node, offer.room, tasks_per_node_min(demand));
        BERTH_ASSERT(take);
        if (offers.size() == 1) return std::vector{Part{offer.node, *std::move(take)}};
        const Resources rest = offer.room - take->amount;
        const std::int64_t points = score_of(offer.node, *take, rest, preference);
        if (best && points <= best_score) continue;
        best = Part{offer.node, *std::move(take)};
        best_score = points;
    }
    if (!best) return std::nullopt;
    return std::vector{*std::move(best)};
}

// The next most common case: the same amount on each of several nodes, which can be scored
// independently.
std::optional<std::vector<Part>> gather_alike(const Demand& demand, std::span<const Offer> offers,
                                              const PlacementPreference& preference) {
    if (offers.size() < demand.nodes_min) return std::nullopt;
    const std::size_t nodes = demand.fewest_nodes
                                  ? demand.nodes_min
                                  : std::min<std::size_t>(demand.nodes_max, offers.size());
    const auto part_of = [&](const Offer& offer) {
        auto take = take_on(demand, preference.view.spec().node(offer.node), offer.room,
                            demand.tasks_per_node);
        BERTH_ASSERT(take);
        return Part{offer.node, *std::move(take)};
    };
    std::vector<Part> parts;
    parts.reserve(nodes);
    if (nodes == offers.size()) {  // There is no choice.
        for (const Offer& offer : offers) parts.push_back(part_of(offer));
        std::ranges::sort(parts, {}, &Part::node);
        return parts;
    }
    using Rated = std::pair<std::int64_t, std::size_t>;  // Negated score, and index of the offer.
    std::vector<Rated> rated;
    rated.reserve(offers.size());
    for (std::size_t n = 0; n < offers.size(); ++n) {
        const Part part = part_of(offers[n]);
        const Resources rest = offers[n].room - part.take.amount;
        const std::int64_t points =
            preference.policy.get().score({part.node, part.take.amount, rest}, preference.view);
        rated.emplace_back(-points, n);
    }
    const auto chosen = rated.begin() + static_cast<std::ptrdiff_t>(nodes);
    if (chosen != rated.end()) std::nth_element(rated.begin(), chosen, rated.end());
    rated.resize(nodes);
    for (const auto& [points, n] : rated) parts.push_back(part_of(offers[n]));
    std::ranges::sort(parts, {}, &Part::node);
    return parts;
}

}  // namespace

std::optional<std::vector<Part>> gather_any(const Demand& demand, std::span<const Offer> offers,
                                            const PlacementPreference& preference) {
    if (demand.nodes_max == 1 && demand.gres_total.empty()) {
        return gather_one(demand, offers, preference);
    }
    if (!demand.tasks && demand.gres_total.empty() && demand.required.empty()) {
        return gather_alike(demand, offers, preference);
    }
    return Gathering(demand, offers, preference).run();
}

}  // namespace berth
