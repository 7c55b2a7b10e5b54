// The part of PlanBook that maintains the free slots. A change of a timeline changes only the slots
// around it.
#include <algorithm>

#include "berth/engine/plan/plan_book.h"

namespace berth {
namespace {

// Beyond kFreshMin plus one in kFreshPart of all nodes, every node counts as fresh.
constexpr std::size_t kFreshPart = 8;
constexpr std::size_t kFreshMin = 4;

std::optional<Resources> amount_on(const PlannedReservation& planned_reservation, NodeId node) {
    const auto nodes = planned_reservation.amounts.nodes();
    const auto at = std::ranges::find(nodes, node);
    if (at == nodes.end()) return std::nullopt;
    return planned_reservation.booked(static_cast<std::size_t>(at - nodes.begin()));
}

// Whether `now_booked` takes at least everything on this node that `before` took.
bool covers(const PlannedReservation& now_booked, const PlannedReservation& before, NodeId node,
            const Resources& had, Time now) {
    const std::optional<Resources> has = amount_on(now_booked, node);
    return has && fits(had, *has) && now_booked.start <= std::max(before.start, now) &&
           now_booked.end >= before.end;
}

}  // namespace

void PlanBook::change(NodeId node, Time start, Time end, const Resources& amount, bool more) {
    Timeline& timeline = timelines_[node.index()];
    const std::size_t node_class = classes_.class_of(node);
    const Timeline::Steps steps = timeline.cut(start, end);
    if (steps.empty()) return;
    levels_.note_before(node_class, timeline, steps, free_slot_change_);
    timeline.add(steps, amount, more ? 1 : -1);
    levels_.note_after(node_class, timeline, steps, free_slot_change_);
    timeline.join(steps);
    replace_free_slots(node_class, node);
}

void PlanBook::replace_free_slots(std::size_t node_class, NodeId node) {
    const auto& [levels, before, now, met_before, met_now] = free_slot_change_;
    if (levels == 0) return;
    free_slots_.replace(node_class, node, levels, before, now);
    if (!all_fresh_ && released_[node.index()] > 0) {
        fresh_.replace(node_class, node, levels, before, now);
    }
}

void PlanBook::forget_before(NodeId node, Time now) {
    Timeline& timeline = timelines_[node.index()];
    if (timeline.step_at(now) == 0) return;
    const std::size_t node_class = classes_.class_of(node);
    const std::size_t levels = levels_.count(node_class);
    levels_.collect(node_class, timeline, Time::min(), now, free_slot_change_.before);
    timeline.forget_before(now);
    levels_.collect(node_class, timeline, Time::min(), now, free_slot_change_.now);
    free_slot_change_.levels =
        levels == FreeSlotLevels::kLevelsMax ? ~std::uint64_t{0} : (std::uint64_t{1} << levels) - 1;
    replace_free_slots(node_class, node);
}

std::size_t PlanBook::level_for(std::size_t node_class, const Resources& take) {
    const auto [level, changed] = levels_.level_for(node_class, take);
    if (!changed) return level;
    free_slots_.set_levels(node_class, levels_.count(node_class));
    fresh_.set_levels(node_class, levels_.count(node_class));
    free_slots_.clear_level(node_class, level);
    fresh_.clear_level(node_class, level);
    for (const NodeId node : classes_.members(node_class)) {
        levels_.collect(node_class, timelines_[node.index()], Time::min(), kNever,
                        free_slot_change_.now);
        free_slots_.insert_level(node_class, node, free_slot_change_.now, level);
        if (!all_fresh_ && released_[node.index()] > 0) {
            fresh_.insert_level(node_class, node, free_slot_change_.now, level);
        }
    }
    return level;
}

// ---- Fresh nodes.

void PlanBook::note_release(NodeId node) {
    ++last_release_;
    ++fresh_version_;
    const bool known = released_[node.index()] > 0;
    released_[node.index()] = last_release_;
    disturbed_.insert(disturbed_.end(), planned_on(node).begin(), planned_on(node).end());
    if (known) return;
    fresh_nodes_.push_back(node);
    if (all_fresh_) return;
    if (fresh_nodes_.size() > kFreshMin + timelines_.size() / kFreshPart) {
        all_fresh_ = true;
        fresh_.clear();
    } else {
        fill_fresh(node);
    }
}

void PlanBook::fill_fresh(NodeId node) {
    const std::size_t node_class = classes_.class_of(node);
    levels_.collect(node_class, timelines_[node.index()], Time::min(), kNever,
                    free_slot_change_.now);
    fresh_.insert(node_class, node, free_slot_change_.now);
}

void PlanBook::forget_fresh(ReleaseNumber seen) {
    ++fresh_version_;
    std::vector<NodeId> still;
    for (const NodeId node : fresh_nodes_) {
        if (released_[node.index()] > seen) {
            still.push_back(node);
        } else {
            released_[node.index()] = 0;
        }
    }
    fresh_nodes_ = std::move(still);
    fresh_.clear();
    all_fresh_ = fresh_nodes_.size() > kFreshMin + timelines_.size() / kFreshPart;
    if (all_fresh_) return;
    for (const NodeId node : fresh_nodes_) fill_fresh(node);
}

void PlanBook::note_releases(const PlannedReservation& planned_reservation,
                             std::optional<TakenOver> taken_over) {
    const PlannedReservation* by = taken_over ? find(taken_over->by) : nullptr;
    planned_reservation.each_booked([&](NodeId node, const Resources& amount) {
        if (by == nullptr || !covers(*by, planned_reservation, node, amount, taken_over->now))
            note_release(node);
    });
}

}  // namespace berth
