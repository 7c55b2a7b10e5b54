#include "berth/engine/cycle/component_placer.h"

#include <algorithm>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/job_starts.h"
#include "berth/engine/cycle/job_terms.h"
#include "berth/engine/placement/together.h"

namespace berth {

bool ComponentPlacer::are_settled(const PendingJob& first, bool may_plan) const {
    const PlannedReservation* const planned_start = cycle_.book().planned_start(first.id);
    if (planned_start != nullptr && planned_start->start <= cycle_.now() &&
        first.looked_at < planned_start->start) {
        return false;
    }
    if (planned_start == nullptr && may_plan && !first.looked_ahead) return false;
    return first.looked_after == cycle_.book().last_release();
}

bool ComponentPlacer::try_all(PendingJob& first, Time floor, bool may_plan) {
    PlanBook& book = cycle_.book();
    const Time now = cycle_.now();
    const Together all = components_of(cycle_, first);
    if (all.empty()) return false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!cycle_.spend()) {
            first.looked = false;
            return false;
        }
    }
    first.disturbed = false;
    first.looked = true;
    first.looked_ahead = first.looked_ahead || may_plan;
    first.looked_at = now;
    const PlannedReservation* const known = book.planned_start(first.id);
    const bool keeps = known != nullptr && (floor == now || known->start >= floor);
    Time latest = may_plan || known != nullptr ? last_start(cycle_.state(), first, now) : now;
    if (keeps) latest = std::max(known->start - Duration(1), now);
    const std::vector<PlannedReservation> before = lift_together(book, all);
    Starts found;
    if (floor <= now) found = search_within_reservations(all);
    if (!found && keeps && before.front().start <= now) found = search_planned(all, before);
    if (!found) found = search_together(all, floor, latest);
    const bool at_once = found && found->front().start == now;
    if (at_once && !may_start_together(all, *found)) found.reset();
    if (!found && keeps && before.size() == all.size()) {
        // Put back unchecked: a run may be past its expected end just now, which only makes the
        // start late.
        for (std::size_t i = 0; i < all.size(); ++i) book.put(all[i]->id, before[i]);
        first.looked_after = book.last_release();
        return false;
    }
    if (found && !at_once) plan_together(all, *found);
    if (found && at_once) {
        for (std::size_t i = 0; i < all.size(); ++i)
            start(cycle_, *all[i], (*found)[i], limit_now(*all[i]));
    }
    for (const PlannedReservation& one : before) book.note_releases(one);
    if (found && at_once) return true;
    first.looked_after = book.last_release();
    return false;
}

Duration ComponentPlacer::length_now(const PendingJob& one) const {
    return component_length_now(cycle_.state(), one, cycle_.now());
}

// The limit with which the component starts now, if it is not its own.
std::optional<Duration> ComponentPlacer::limit_now(const PendingJob& one) const {
    const Duration length = length_now(one);
    const bool less = length < cycle_.state().find_job(one.id)->time_limit;
    return less ? std::optional(length) : std::nullopt;
}

// A start of all components now, if a reservation has less time left than a component may take.
ComponentPlacer::Starts ComponentPlacer::search_within_reservations(const Together& all) {
    const auto gets_less = [&](const PendingJob* one) {
        return length_now(*one) < one->shape->length;
    };
    if (std::ranges::none_of(all, gets_less)) return std::nullopt;
    const Time now = cycle_.now();
    std::vector<Found> found;
    for (PendingJob* const one : all) {
        const Duration length = length_now(*one);
        std::optional<Found> place = finder_.find_now(*one, length);
        if (!place) break;
        PlannedReservation run = planned_reservation_for(cycle_, *one, *place);
        run.end = after(now, held_length(cycle_.scheduling(), one->shape->demand(), length));
        cycle_.book().put(one->id, std::move(run));
        found.push_back(*std::move(place));
    }
    for (std::size_t i = 0; i < found.size(); ++i) cycle_.book().lift(all[i]->id);
    if (found.size() < all.size()) return std::nullopt;
    return found;
}

// Tries the planned nodes once the planned start is due. Searching for each component in turn may
// not find that solution again: the first could prefer the only place of another.
ComponentPlacer::Starts ComponentPlacer::search_planned(
    const Together& all, const std::vector<PlannedReservation>& planned_for) {
    std::vector<Found> found;
    for (std::size_t i = 0; i < all.size(); ++i) {
        BitSet nodes(cycle_.derived().usable.size());
        for (const NodeId node : planned_for[i].amounts.nodes()) nodes.set(node.index());
        nodes &= cycle_.derived().holds.empty()
                     ? cycle_.derived().usable
                     : cycle_.derived().holds.open_to(all[i]->id, cycle_.derived().usable);
        cycle_.prefer_for(*all[i]);
        std::optional<Found> place = finder_.find_among(nodes, *all[i], cycle_.now(), cycle_.now());
        if (!place) break;
        cycle_.book().put(all[i]->id, planned_reservation_for(cycle_, *all[i], *place));
        found.push_back(*std::move(place));
    }
    for (std::size_t i = 0; i < found.size(); ++i) cycle_.book().lift(all[i]->id);
    if (found.size() < all.size()) return std::nullopt;
    return found;
}

// The earliest time at which all components fit, each beside the ones before it.
ComponentPlacer::Starts ComponentPlacer::search_together(const Together& all, Time from,
                                                         Time latest) {
    for (int i = 0; i < kTogetherTriesMost && from <= latest; ++i) {
        std::vector<Found> found;
        const std::optional<Time> later = put_together(all, from, latest, found);
        for (std::size_t k = 0; k < found.size(); ++k) cycle_.book().lift(all[k]->id);
        if (found.size() == all.size()) return found;
        if (!later) return std::nullopt;
        from = *later;
    }
    return std::nullopt;
}

// Books components as long as they fit at the time of the first. Returns a later time to try, when
// the next component fits, or nullopt if all fit or one never does.
std::optional<Time> ComponentPlacer::put_together(const Together& all, Time from, Time latest,
                                                  std::vector<Found>& found) {
    for (PendingJob* const one : all) {
        std::optional<Found> place = finder_.find(*one, from, latest);
        if (!place) return std::nullopt;
        if (!found.empty() && place->start > from) return place->start;
        from = place->start;
        cycle_.book().put(one->id, planned_reservation_for(cycle_, *one, *place));
        found.push_back(*std::move(place));
    }
    return std::nullopt;
}

// Limits count the components started before, so the starts are tried and rolled back.
bool ComponentPlacer::may_start_together(const Together& all, const std::vector<Found>& found) {
    if (!cycle_.state().quota().enforced()) return true;
    ClusterState& tried = cycle_.mutable_state();
    const ClusterState::Mark mark = tried.checkpoint();
    bool may = true;
    for (std::size_t i = 0; may && i < all.size(); ++i) {
        const Job& job = *cycle_.state().find_job(all[i]->id);
        may = limit_reason_of(cycle_.state(), job, *all[i]->shape->kind).reason ==
              PendingReason::none;
        if (may) {
            tried.apply(cycle_.now(), start_of(cycle_, *all[i], found[i], limit_now(*all[i])));
        }
    }
    tried.rollback(mark);
    return may;
}

void ComponentPlacer::plan_together(const Together& all, const std::vector<Found>& found) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        cycle_.book().put(all[i]->id, planned_reservation_for(cycle_, *all[i], found[i]));
    }
}

void ComponentPlacer::replan(PendingJob& first, const std::vector<PlannedReservation>& before,
                             bool broken) {
    if (before.empty() && !broken) return;
    const Together all = components_of(cycle_, first);
    first.disturbed = true;
    if (!broken && put_back_together(cycle_.book(), all, before, cycle_.now())) return;
    first.looked = first.looked_ahead = false;
    cycle_.derived().pending.add_unlooked(first.id);
    for (const PlannedReservation& one : before) cycle_.book().note_releases(one);
    if (all.empty() || !cycle_.scheduling().backfill || !cycle_.spend()) return;
    if (const auto found =
            search_together(all, cycle_.now(), last_start(cycle_.state(), first, cycle_.now()))) {
        plan_together(all, *found);
    }
}

}  // namespace berth
