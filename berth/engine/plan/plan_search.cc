#include "berth/engine/plan/plan_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <memory_resource>

#include "berth/base/assert.h"
#include "berth/engine/plan/hole_stream.h"
#include "berth/engine/plan/plan_scan.h"

namespace berth {
namespace {

// Of nodes that are alike in all that is free, so many are offered to the placement's scores, if
// these do not tell them apart.
constexpr std::uint32_t kAlikeMax = 4;

// How many tasks each node gets, if that is the same on every node.
std::optional<std::uint32_t> tasks_on_each(const Demand& demand) {
    if (!demand.tasks) return demand.tasks_per_node;
    if (demand.nodes_max == 1) return demand.tasks;
    // -N4 -n4: no node goes without a task.
    if (demand.nodes_min == demand.nodes_max && *demand.tasks == demand.nodes_min) return 1;
    const std::uint64_t all = std::uint64_t{demand.nodes_min} * demand.tasks_per_node;
    if (demand.nodes_min != demand.nodes_max || *demand.tasks != all) return std::nullopt;
    return demand.tasks_per_node;
}

// Whether all devices of one demand would come from one dimension on this node.
bool is_of_one_kind(const std::vector<GresDemand>& wanted, const NodeSpec& node) {
    return std::ranges::all_of(wanted, [&](const GresDemand& gres) {
        int kinds = 0;
        for_each_bit(gres.dimensions, [&](int d) {
            if (node.capacity[DimensionId(static_cast<std::uint32_t>(d))] > 0) ++kinds;
        });
        return kinds <= 1;
    });
}

bool has_member_in(const BitSet& choice, const std::vector<NodeId>& members) {
    return std::ranges::any_of(members, [&](NodeId node) { return choice.test(node.index()); });
}

// A job of one node: all holes that allow the earliest start.
class OneNode {
public:
    OneNode(const Demand& demand, const Window& window, const PlanBook& book, const Taste& taste)
        : demand_(demand), window_(window), book_(book), taste_(taste) {
        offers_.reserve(kAlikeMax);
        seen_.reserve(kAlikeMax);
    }

    std::optional<Found> find(HoleStream& holes) {
        const std::size_t required = demand_.required.find_first();
        std::optional<Time> start;
        HoleStream::Offered offered;
        while (holes.next(offered)) {
            if (required != BitSet::kNone && offered.hole.node.index() != required) continue;
            if (!start) {
                start = std::max(offered.hole.start, window_.earliest);
                holes.limit(*start);
            }
            add(*start, offered);
        }
        if (!start) return std::nullopt;
        auto parts = gather(demand_, offers_, taste_);
        BERTH_ASSERT(parts);
        return Found{*start, *std::move(parts)};
    }

private:
    void add(Time start, const HoleStream::Offered& offered) {
        const NodeId node = offered.hole.node;
        const Resources room = book_.timeline(node).least_free(start, after(start, window_.length));
        const std::uint32_t node_class = offered.footprint->node_class;
        const auto alike = std::ranges::find_if(seen_, [&](const Seen& one) {
            return one.node_class == node_class && one.room == room;
        });
        if (alike == seen_.end()) {
            seen_.push_back({node_class, 1, room});
        } else if (++alike->count > kAlikeMax && !taste_.policy.tells_nodes_apart()) {
            return;
        }
        offers_.push_back({node, room, offered.footprint->tasks});
    }

    struct Seen {
        std::uint32_t node_class = 0, count = 0;
        Resources room;
    };
    const Demand& demand_;
    const Window& window_;
    const PlanBook& book_;
    const Taste& taste_;
    std::array<std::byte, 2048> memory_;
    std::pmr::monotonic_buffer_resource pool_{memory_.data(), memory_.size()};
    std::pmr::vector<Offer> offers_{&pool_};
    std::pmr::vector<Seen> seen_{&pool_};
};

// A start at once, for one node or several alike: a few of the nodes that are alike in what runs
// leave free, and each node on which somebody is promised something.
class AtOnce {
public:
    // Beyond so many nodes with promises, the holes are quicker.
    static constexpr std::size_t kPromisedMax = 64;

    AtOnce(const Demand& demand, const Window& window, const PlanBook& book, const Taste& taste)
        : demand_(demand), window_(window), book_(book), taste_(taste) {}

    static bool can_serve(const Demand& demand, const Window& window, const PlanBook& book,
                          const Taste& taste) {
        if (window.earliest != window.latest || book.free_groups() == nullptr) return false;
        if (book.promised_nodes().size() > kPromisedMax) return false;
        if (!demand.required.empty() || taste.policy.tells_nodes_apart()) return false;
        if (demand.nodes_max == 1) return true;
        const bool has_domains = taste.domains != nullptr && !taste.domains->empty();
        return !has_domains && !demand.near.contiguous;
    }

    std::optional<Found> find(const std::vector<Footprint>& footprints, const BitSet& choice,
                              const BitSet& usable) {
        const auto may_use = [&](NodeId node) {
            return choice.test(node.index()) && usable.test(node.index());
        };
        for (const Footprint& footprint : footprints) {
            for (const auto& [room, nodes] : book_.free_groups()->of_class(footprint.node_class)) {
                if (!fits(footprint.take, room)) continue;
                std::size_t left = std::max<std::size_t>(kAlikeMax, demand_.nodes_max);
                for (auto node = nodes.begin(); left > 0 && node != nodes.end(); ++node) {
                    if (!may_use(*node) || !book_.promised_on(*node).empty()) continue;
                    offers_.push_back({*node, room, footprint.tasks});
                    --left;
                }
            }
            add_promised(footprint, may_use);
        }
        std::ranges::sort(offers_, {}, &Offer::node);
        auto parts = gather(demand_, offers_, taste_);
        if (!parts) return std::nullopt;
        return Found{window_.earliest, *std::move(parts), {}};
    }

private:
    template <class MayUse>
    void add_promised(const Footprint& footprint, const MayUse& may_use) {
        const Time start = window_.earliest;
        for (const NodeId node : book_.promised_nodes()) {
            if (!may_use(node) || book_.classes().class_of(node) != footprint.node_class) continue;
            const Timeline& timeline = book_.timeline(node);
            const Time end = after(start, window_.length);
            if (!timeline.has_room(start, end, footprint.take)) continue;
            offers_.push_back({node, timeline.least_free(start, end), footprint.tasks});
        }
    }

    const Demand& demand_;
    const Window& window_;
    const PlanBook& book_;
    const Taste& taste_;
    std::vector<Offer> offers_;
};

// A gang: a hole [s, e) serves any start from s to e - length. Taken in order of s, the first time
// at which enough of them serve together is the earliest.
class Gang {
public:
    Gang(const Demand& demand, const Window& window, const PlanBook& book, const Taste& taste)
        : demand_(demand), window_(window), book_(book), taste_(taste) {}

    std::optional<Found> find(HoleStream& holes) {
        HoleStream::Offered offered;
        bool more = holes.next(offered);
        while (more) {
            const Time start = std::max(offered.hole.start, window_.earliest);
            for (; more && std::max(offered.hole.start, window_.earliest) == start;
                 more = holes.next(offered)) {
                active_.push_back(offered);
                std::ranges::push_heap(active_, ends_later);
            }
            while (!active_.empty() && active_.front().hole.end < after(start, window_.length)) {
                std::ranges::pop_heap(active_, ends_later);
                active_.pop_back();
            }
            if (active_.size() < demand_.nodes_min) continue;
            if (auto parts = gather_at(start)) return Found{start, *std::move(parts)};
        }
        return std::nullopt;
    }

private:
    static bool ends_later(const HoleStream::Offered& a, const HoleStream::Offered& b) {
        return std::pair(a.hole.end, a.hole.node) > std::pair(b.hole.end, b.hole.node);
    }

    std::optional<std::vector<Part>> gather_at(Time start) {
        offers_.clear();
        const Time end = after(start, window_.length);
        for (const HoleStream::Offered& one : active_) {
            const Resources room = book_.timeline(one.hole.node).least_free(start, end);
            offers_.push_back({one.hole.node, room, one.footprint->tasks});
        }
        std::ranges::sort(offers_, {}, &Offer::node);
        return gather(demand_, offers_, taste_);
    }

    const Demand& demand_;
    const Window& window_;
    const PlanBook& book_;
    const Taste& taste_;
    std::vector<HoleStream::Offered> active_;  // A heap, the first to end on top.
    std::vector<Offer> offers_;
};

}  // namespace

Footprints footprints_of(const Demand& demand, const ClusterSpec& spec, PlanBook& book) {
    Footprints footprints{.generation = book.generation(), .choices = {}};
    const auto tasks = tasks_on_each(demand);
    if (!demand.reservation.empty()) return footprints;  // The holes are those open to all.
    if (!tasks || !demand.gres_total.empty()) return footprints;
    for (const BitSet& choice : demand.choices) {
        std::vector<Footprint>& of_choice = footprints.choices.emplace_back();
        for (std::size_t c = 0; c < book.classes().size(); ++c) {
            const std::vector<NodeId>& members = book.classes().members(c);
            if (!has_member_in(choice, members)) continue;
            const NodeSpec& node = spec.node(members.front());
            if (!is_of_one_kind(demand.gres_per_node, node) ||
                !is_of_one_kind(demand.gres_per_task, node)) {
                return footprints;
            }
            const auto take = take_on(demand, node, node.capacity, *tasks);
            if (!take) continue;
            const std::size_t level = book.level_for(c, take->amount);
            of_choice.push_back({static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(level),
                                 *tasks, book.levels().takes_others(c, take->amount),
                                 take->amount});
        }
    }
    footprints.known = true;
    return footprints;
}

std::optional<Found> find_on_nodes(const Demand& demand, const Window& window, const PlanBook& book,
                                   const BitSet& usable, const Taste& taste,
                                   const Footprints* footprints) {
    if (footprints == nullptr || !footprints->known ||
        footprints->generation != book.generation()) {
        return scan_start(demand, window, book, usable, taste);
    }
    std::optional<Found> best;
    Window left = window;
    if (AtOnce::can_serve(demand, window, book, taste)) {
        for (std::size_t i = 0; i < demand.choices.size() && !best; ++i) {
            best = AtOnce(demand, window, book, taste)
                       .find(footprints->choices[i], demand.choices[i], usable);
        }
        return best;
    }
    for (std::size_t i = 0; i < demand.choices.size(); ++i) {
        const bool one_will_do = demand.nodes_max == 1 && demand.required.empty();
        HoleStream holes(footprints->choices[i], book.holes(), book, demand.choices[i], usable,
                         left,
                         one_will_do ? HoleStream::Wanted::first : HoleStream::Wanted::several);
        auto found = demand.nodes_max == 1 ? OneNode(demand, left, book, taste).find(holes)
                                           : Gang(demand, left, book, taste).find(holes);
        if (!found) continue;
        best = std::move(found);
        if (best->start == window.earliest) break;
        left.latest = best->start - Duration(1);
    }
    return best;
}

std::optional<Time> earliest_room(const Demand& demand, std::uint32_t nodes, const Window& window,
                                  const PlanBook& book, const BitSet& usable,
                                  const Footprints& footprints) {
    std::optional<Time> first;
    Window left = window;
    for (std::size_t i = 0; i < demand.choices.size() && left.latest >= left.earliest; ++i) {
        const bool one_will_do = nodes == 1;
        HoleStream holes(footprints.choices[i], book.holes(), book, demand.choices[i], usable, left,
                         one_will_do ? HoleStream::Wanted::first : HoleStream::Wanted::several);
        std::vector<Time> ends;  // A heap, the first to end on top.
        HoleStream::Offered offered;
        while (holes.next(offered)) {
            const Time start = std::max(offered.hole.start, left.earliest);
            ends.push_back(offered.hole.end);
            std::ranges::push_heap(ends, std::greater{});
            while (ends.front() < after(start, left.length)) {
                std::ranges::pop_heap(ends, std::greater{});
                ends.pop_back();
            }
            if (ends.size() < nodes) continue;
            first = start;
            left.latest = start - Duration(1);
            break;
        }
    }
    return first;
}

std::optional<Time> fresh_offer(const Demand& demand, const Window& window, const PlanBook& book,
                                const BitSet& usable, const ClusterSpec& spec,
                                const Footprints* footprints) {
    if (!book.any_fresh()) return std::nullopt;
    // Licenses are given back with nodes, but not on any that would have to be the job's.
    if (!demand.licenses.counts.empty()) return window.earliest;
    const bool by_holes = footprints != nullptr && footprints->known;
    if (book.all_fresh() && !by_holes) return window.earliest;
    std::optional<Time> first;
    Window left = window;
    const auto offer = [&](Time at) {
        first = at;
        left.latest = at - Duration(1);
    };
    if (!by_holes) {
        for (const NodeId node : book.fresh_nodes()) {
            const bool serves = std::ranges::any_of(
                demand.choices, [&](const BitSet& choice) { return choice.test(node.index()); });
            if (!serves || !usable.test(node.index()) || left.latest < left.earliest) continue;
            if (const auto at = first_offer(demand, left, book, node, spec)) offer(*at);
        }
        return first;
    }
    for (std::size_t i = 0; i < demand.choices.size() && left.latest >= left.earliest; ++i) {
        const HoleIndex& fresh = book.all_fresh() ? book.holes() : book.fresh_holes();
        HoleStream holes(footprints->choices[i], fresh, book, demand.choices[i], usable, left,
                         HoleStream::Wanted::first);
        HoleStream::Offered offered;
        if (holes.next(offered)) offer(std::max(offered.hole.start, left.earliest));
    }
    return first;
}

}  // namespace berth
