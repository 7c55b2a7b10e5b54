#include "berth/engine/plan/plan_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <memory_resource>

#include "berth/base/assert.h"
#include "berth/engine/plan/free_slot_stream.h"
#include "berth/engine/plan/plan_scan.h"

namespace berth {
namespace {

// Of nodes that are equally free, this many are offered to the placement scores, unless a rule
// tells such nodes apart. Where GPUs are shared, what is left of each GPU may differ.
constexpr std::uint32_t kAlikeMax = 4;

std::uint32_t alike_most(const PlacementPreference& preference, NodeId node) {
    return preference.view.gpus(node).empty() ? 1 : kAlikeMax;
}

// Tasks per node, if every node gets the same number.
std::optional<std::uint32_t> tasks_on_each(const Demand& demand) {
    if (!demand.tasks) return demand.tasks_per_node;
    if (demand.nodes_max == 1) return demand.tasks;
    // -N4 -n4: every node gets a task.
    if (demand.nodes_min == demand.nodes_max && *demand.tasks == demand.nodes_min) return 1;
    const std::uint64_t all = std::uint64_t{demand.nodes_min} * demand.tasks_per_node;
    if (demand.nodes_min != demand.nodes_max || *demand.tasks != all) return std::nullopt;
    return demand.tasks_per_node;
}

// Whether all devices of each request would come from one dimension on this node.
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

// A one-node job: considers all free slots that allow the earliest start.
class OneNode {
public:
    OneNode(const Demand& demand, const Window& window, const PlanBook& book,
            const PlacementPreference& preference)
        : demand_(demand), window_(window), book_(book), preference_(preference) {
        offers_.reserve(kAlikeMax);
        seen_.reserve(kAlikeMax);
    }

    std::optional<Found> find(FreeSlotStream& free_slots) {
        const std::size_t required = demand_.required.find_first();
        std::optional<Time> start;
        FreeSlotStream::Offered offered;
        while (free_slots.next(offered)) {
            if (required != BitSet::kNone && offered.free_slot.node.index() != required) continue;
            if (!start) {
                start = std::max(offered.free_slot.start, window_.earliest);
                free_slots.limit(*start);
            }
            add(*start, offered);
        }
        if (!start) return std::nullopt;
        auto parts = gather(demand_, offers_, preference_);
        BERTH_ASSERT(parts);
        return Found{*start, *std::move(parts)};
    }

private:
    void add(Time start, const FreeSlotStream::Offered& offered) {
        const NodeId node = offered.free_slot.node;
        const Timeline& timeline = book_.timeline(node);
        const auto room = std::span(room_).first(timeline.dimensions());
        timeline.least_free(start, after(start, window_.length), room);
        const std::uint32_t node_class = offered.requirement->node_class;
        const auto alike = std::ranges::find_if(seen_, [&](const Seen& one) {
            return one.node_class == node_class &&
                   std::equal(room.begin(), room.end(), rooms_.begin() + one.room);
        });
        if (alike == seen_.end()) {
            seen_.push_back({node_class, 1, std::ssize(rooms_)});
            rooms_.insert(rooms_.end(), room.begin(), room.end());
        } else if (!tells_apart_ && ++alike->count > alike_most(preference_, node)) {
            return;
        }
        offers_.push_back({node, resources_of(room), offered.requirement->tasks});
    }

    struct Seen {
        std::uint32_t node_class = 0, count = 0;
        std::ptrdiff_t room = 0;  // Where it begins in rooms_.
    };
    const Demand& demand_;
    const Window& window_;
    const PlanBook& book_;
    const PlacementPreference& preference_;
    const bool tells_apart_ = preference_.policy.get().tells_nodes_apart();
    std::array<std::byte, 2048> memory_;
    std::pmr::monotonic_buffer_resource pool_{memory_.data(), memory_.size()};
    std::pmr::vector<Offer> offers_{&pool_};
    std::pmr::vector<Seen> seen_{&pool_};
    std::array<std::int64_t, kDimensionsMax> room_{};
    std::pmr::vector<std::int64_t> rooms_{&pool_};  // Of those seen, one behind the other.
};

// A start at one moment on one node or several alike. Considers a few nodes of each free group, and
// each node that has planned starts. Runs that end by themselves before that moment count as if
// they did not: if it lies ahead, a search that finds nothing proves nothing.
class AtOnce {
public:
    // With more such nodes, searching the free slots is faster.
    static constexpr std::size_t kPromisedMax = 64;

    AtOnce(const Demand& demand, const Window& window, const PlanBook& book,
           const PlacementPreference& preference)
        : demand_(demand), window_(window), book_(book), preference_(preference) {}

    static bool can_serve(const Demand& demand, const Window& window, const PlanBook& book,
                          const PlacementPreference& preference) {
        if (window.earliest != window.latest || book.free_groups() == nullptr) return false;
        if (book.planned_nodes().size() > kPromisedMax) return false;
        if (!demand.required.empty() || preference.policy.get().tells_nodes_apart()) return false;
        if (demand.nodes_max == 1) return true;
        const bool has_domains = preference.domains != nullptr && !preference.domains->empty();
        return !has_domains && !demand.near.contiguous;
    }

    std::optional<Found> find(const std::vector<ClassRequirement>& requirements,
                              const BitSet& choice, const BitSet& usable) {
        const auto may_use = [&](NodeId node) {
            return choice.test(node.index()) && usable.test(node.index());
        };
        for (const ClassRequirement& requirement : requirements) {
            for (const auto& [room, nodes] :
                 book_.free_groups()->of_class(requirement.node_class)) {
                if (!fits(requirement.take, room)) continue;
                const std::uint32_t alike =
                    nodes.empty() ? 1 : alike_most(preference_, *nodes.begin());
                std::size_t left = std::max<std::size_t>(alike, demand_.nodes_max);
                for (auto node = nodes.begin(); left > 0 && node != nodes.end(); ++node) {
                    if (!may_use(*node) || !book_.planned_on(*node).empty()) continue;
                    offers_.push_back({*node, room, requirement.tasks});
                    --left;
                }
            }
            add_planned(requirement, may_use);
        }
        std::ranges::sort(offers_, {}, &Offer::node);
        auto parts = gather(demand_, offers_, preference_);
        if (!parts) return std::nullopt;
        return Found{window_.earliest, *std::move(parts), {}};
    }

private:
    template <class MayUse>
    void add_planned(const ClassRequirement& requirement, const MayUse& may_use) {
        const Time start = window_.earliest;
        for (const NodeId node : book_.planned_nodes()) {
            if (!may_use(node) || book_.classes().class_of(node) != requirement.node_class)
                continue;
            const Timeline& timeline = book_.timeline(node);
            const Time end = after(start, window_.length);
            if (!timeline.has_room(start, end, requirement.take)) continue;
            offers_.push_back({node, timeline.least_free(start, end), requirement.tasks});
        }
    }

    const Demand& demand_;
    const Window& window_;
    const PlanBook& book_;
    const PlacementPreference& preference_;
    std::vector<Offer> offers_;
};

// A gang: a free slot [s, e) serves any start from s to e - length. Slots are taken in order of s,
// so the first time at which enough of them serve together is the earliest.
class Gang {
public:
    Gang(const Demand& demand, const Window& window, const PlanBook& book,
         const PlacementPreference& preference)
        : demand_(demand), window_(window), book_(book), preference_(preference) {}

    std::optional<Found> find(FreeSlotStream& free_slots) {
        FreeSlotStream::Offered offered;
        bool more = free_slots.next(offered);
        while (more) {
            const Time start = std::max(offered.free_slot.start, window_.earliest);
            for (; more && std::max(offered.free_slot.start, window_.earliest) == start;
                 more = free_slots.next(offered)) {
                active_.push_back(offered);
                std::ranges::push_heap(active_, ends_later);
            }
            while (!active_.empty() &&
                   active_.front().free_slot.end < after(start, window_.length)) {
                std::ranges::pop_heap(active_, ends_later);
                active_.pop_back();
            }
            if (active_.size() < demand_.nodes_min) continue;
            if (auto parts = gather_at(start)) return Found{start, *std::move(parts)};
        }
        return std::nullopt;
    }

private:
    static bool ends_later(const FreeSlotStream::Offered& a, const FreeSlotStream::Offered& b) {
        return std::pair(a.free_slot.end, a.free_slot.node) >
               std::pair(b.free_slot.end, b.free_slot.node);
    }

    std::optional<std::vector<Part>> gather_at(Time start) {
        offers_.clear();
        const Time end = after(start, window_.length);
        for (const FreeSlotStream::Offered& one : active_) {
            const Resources room = book_.timeline(one.free_slot.node).least_free(start, end);
            offers_.push_back({one.free_slot.node, room, one.requirement->tasks});
        }
        std::ranges::sort(offers_, {}, &Offer::node);
        return gather(demand_, offers_, preference_);
    }

    const Demand& demand_;
    const Window& window_;
    const PlanBook& book_;
    const PlacementPreference& preference_;
    std::vector<FreeSlotStream::Offered> active_;  // A heap, the earliest end on top.
    std::vector<Offer> offers_;
};

// The amount, as a class before takes it if one does.
Shared<Resources> shared_amount(const std::vector<ClassRequirement>& known,
                                const Resources& amount) {
    const auto same =
        std::ranges::find_if(known, [&](const auto& one) { return *one.take == amount; });
    return same == known.end() ? Shared<Resources>(amount) : same->take;
}

}  // namespace

ClassRequirements requirements_of(const Demand& demand, const ClusterSpec& spec, PlanBook& book) {
    ClassRequirements requirements{.generation = book.generation(), .choices = {}};
    const auto tasks = tasks_on_each(demand);
    // The index covers only what is open to all.
    if (!demand.reservation.empty()) return requirements;
    if (!tasks || !demand.gres_total.empty()) return requirements;
    for (const BitSet& choice : demand.choices) {
        std::vector<ClassRequirement>& of_choice = requirements.choices.emplace_back();
        for (std::size_t c = 0; c < book.classes().size(); ++c) {
            const std::vector<NodeId>& members = book.classes().members(c);
            if (!has_member_in(choice, members)) continue;
            const NodeSpec& node = spec.node(members.front());
            if (!is_of_one_kind(demand.gres_per_node, node) ||
                !is_of_one_kind(demand.gres_per_task, node)) {
                return requirements;
            }
            const auto take = take_on(demand, node, node.capacity, *tasks);
            if (!take) continue;
            const std::size_t level = book.level_for(c, take->amount);
            of_choice.push_back({static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(level),
                                 *tasks, book.levels().takes_others(c, take->amount),
                                 shared_amount(of_choice, take->amount)});
        }
        of_choice.shrink_to_fit();
    }
    requirements.known = true;
    return requirements;
}

std::optional<Found> find_on_nodes(const Demand& demand, const Window& window, const PlanBook& book,
                                   const BitSet& usable, const PlacementPreference& preference,
                                   const ClassRequirements* requirements) {
    if (requirements == nullptr || !requirements->known ||
        requirements->generation != book.generation()) {
        return scan_start(demand, window, book, usable, preference);
    }
    std::optional<Found> best;
    Window left = window;
    if (AtOnce::can_serve(demand, window, book, preference)) {
        for (std::size_t i = 0; i < demand.choices.size() && !best; ++i) {
            best = AtOnce(demand, window, book, preference)
                       .find(requirements->choices[i], demand.choices[i], usable);
        }
        if (best || window.is_now) return best;
    }
    for (std::size_t i = 0; i < demand.choices.size(); ++i) {
        const bool one_will_do = demand.nodes_max == 1 && demand.required.empty();
        FreeSlotStream free_slots(
            requirements->choices[i], book.free_slots(), book, demand.choices[i], usable, left,
            one_will_do ? FreeSlotStream::Wanted::first : FreeSlotStream::Wanted::several);
        auto found = demand.nodes_max == 1
                         ? OneNode(demand, left, book, preference).find(free_slots)
                         : Gang(demand, left, book, preference).find(free_slots);
        if (!found) continue;
        best = std::move(found);
        if (best->start == window.earliest) break;
        left.latest = best->start - Duration(1);
    }
    return best;
}

std::optional<Time> earliest_room(const Demand& demand, std::uint32_t nodes, const Window& window,
                                  const PlanBook& book, const BitSet& usable,
                                  const ClassRequirements& requirements) {
    std::optional<Time> first;
    Window left = window;
    for (std::size_t i = 0; i < demand.choices.size() && left.latest >= left.earliest; ++i) {
        const bool one_will_do = nodes == 1;
        FreeSlotStream free_slots(
            requirements.choices[i], book.free_slots(), book, demand.choices[i], usable, left,
            one_will_do ? FreeSlotStream::Wanted::first : FreeSlotStream::Wanted::several);
        std::vector<Time> ends;  // A heap, the earliest end on top.
        FreeSlotStream::Offered offered;
        while (free_slots.next(offered)) {
            const Time start = std::max(offered.free_slot.start, left.earliest);
            ends.push_back(offered.free_slot.end);
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
                                const ClassRequirements* requirements) {
    if (!book.any_fresh()) return std::nullopt;
    // Licenses are released together with nodes, but not necessarily with nodes that the job could
    // use.
    if (!demand.licenses.counts.empty()) return window.earliest;
    const bool by_free_slots = requirements != nullptr && requirements->known;
    if (book.all_fresh() && !by_free_slots) return window.earliest;
    std::optional<Time> first;
    Window left = window;
    const auto offer = [&](Time at) {
        first = at;
        left.latest = at - Duration(1);
    };
    if (!by_free_slots) {
        for (const NodeId node : book.fresh_nodes()) {
            const bool serves = std::ranges::any_of(
                demand.choices, [&](const BitSet& choice) { return choice.test(node.index()); });
            if (!serves || !usable.test(node.index()) || left.latest < left.earliest) continue;
            if (const auto at = first_offer(demand, left, book, node, spec)) offer(*at);
        }
        return first;
    }
    for (std::size_t i = 0; i < demand.choices.size() && left.latest >= left.earliest; ++i) {
        FreeSlotStream free_slots(requirements->choices[i], book.fresh_free_slots(), book,
                                  demand.choices[i], usable, left, FreeSlotStream::Wanted::first);
        FreeSlotStream::Offered offered;
        if (free_slots.next(offered)) offer(std::max(offered.free_slot.start, left.earliest));
    }
    return first;
}

Time least_fresh_offer(const Demand& demand, Time earliest, Duration length, const PlanBook& book,
                       const ClassRequirements& requirements) {
    if (!book.any_fresh()) return kNever;
    if (!requirements.known || !demand.licenses.counts.empty()) return earliest;
    Time first = kNever;
    for (const std::vector<ClassRequirement>& of_choice : requirements.choices) {
        for (const ClassRequirement& one : of_choice) {
            const Time start =
                book.fresh_free_slots().first_start(one.node_class, one.level, length, earliest);
            first = std::min(first, start);
        }
    }
    return first;
}

bool take_licenses(const LicenseRequest& asked, const PlanBook& book, const Window& window,
                   Found& found) {
    if (asked.counts.empty()) return true;
    for (const std::vector<LicenseCount>& choice : choices_of(asked)) {
        if (!book.licenses().first_free(choice, window.earliest, window.latest, window.length))
            continue;
        found.licenses = choice;
        return true;
    }
    return false;
}

}  // namespace berth
