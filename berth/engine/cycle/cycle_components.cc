// The part of a cycle that places heterogeneous jobs. The first component searches for a time at
// which all components fit. They start together or are planned together, or neither.
#include <algorithm>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/cycle.h"
#include "berth/engine/limits/limit_check.h"
#include "berth/engine/placement/together.h"

namespace berth {

namespace {

// Attempts at a later time when one component has no room at the time of the others.
constexpr int kTimesMost = 64;

}  // namespace

// The components, by offset; empty if one of them is not pending: some of an earlier attempt may
// not have ended.
CycleRun::Together CycleRun::components_of(const PendingJob& first) {
    const Job* const job = state().find_job(first.id);
    Together all;
    for (std::uint32_t i = 0; i < job->het->size; ++i) {
        PendingJob* const one = derived_.pending.find(job->het->id(i));
        if (one == nullptr) return {};
        all.push_back(one);
    }
    return all;
}

// The other components wait for the first, which is eligible only when all of them are.
void CycleRun::check_component(PendingJob& pending, const Job& job) {
    pending.component = true;
    if (job.het->offset > 0) {
        if (pending.blocking.reason == PendingReason::none) {
            pending.blocking.reason = PendingReason::priority;
        }
        PendingJob* const first = derived_.pending.find(job.het->first);
        if (first != nullptr) return derived_.pending.unsettle(*first);
        lift_together({&pending});
        return;
    }
    const Together all = components_of(pending);
    if (all.empty()) pending.blocking.reason = PendingReason::resources;
    bool some = false, none = false;
    for (PendingJob* const one : all) {
        (book().planned_start(one->id) == nullptr ? none : some) = true;
        if (pending.blocking.reason != PendingReason::none || one == &pending) continue;
        find_feasibility(*one->shape->kind);
        pending.blocking =
            blocking_reason_of(state(), *state().find_job(one->id), *one->shape, 0, now_);
    }
    if (pending.blocking.reason == PendingReason::none)
        pending.blocking = blocking_reason_of_all(all);
    if (pending.blocking.reason != PendingReason::none || (some && none)) {
        for (const PlannedReservation& before : lift_together(all)) book().note_releases(before);
        pending.looked = pending.looked_ahead = false;
    }
}

// Each component alone may fit the cluster when all of them together do not.
BlockingReason CycleRun::blocking_reason_of_all(const Together& all) const {
    Kind& kind = *all.front()->shape->kind;
    std::vector<const Demand*> demands;
    demands.reserve(all.size());
    for (const PendingJob* const one : all) demands.push_back(&one->shape->demand());
    if (kind.together == Kind::Feasibility::unknown) {
        const ClusterSpec& spec = state().spec();
        const auto takes_work = [&](NodeId node) { return state().condition(node).schedulable(); };
        const auto any = [](NodeId) { return true; };
        kind.together = may_fit_together(demands, spec, takes_work) ? Kind::Feasibility::fits
                        : may_fit_together(demands, spec, any)      ? Kind::Feasibility::not_now
                                                                    : Kind::Feasibility::never;
    }
    if (kind.together == Kind::Feasibility::fits) return {};
    if (kind.together == Kind::Feasibility::never)
        return {.reason = PendingReason::bad_constraints};
    return {.reason = PendingReason::req_node_not_avail, .detail = missing_nodes(state(), demands)};
}

// Nothing was released anywhere since the components were tried.
bool CycleRun::are_settled(const PendingJob& first, bool may_plan) {
    const PlannedReservation* const planned_start = book().planned_start(first.id);
    if (planned_start != nullptr && planned_start->start <= now_ &&
        first.looked_at < planned_start->start) {
        return false;
    }
    if (planned_start == nullptr && may_plan && !first.looked_ahead) return false;
    return first.looked_after == book().last_release();
}

bool CycleRun::try_components(PendingJob& first, Time floor, bool may_plan) {
    const Together all = components_of(first);
    if (all.empty()) return false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!spend()) {
            first.looked = false;
            return false;
        }
    }
    first.disturbed = false;
    first.looked = true;
    first.looked_ahead = first.looked_ahead || may_plan;
    first.looked_at = now_;
    const PlannedReservation* const known = book().planned_start(first.id);
    const bool keeps = known != nullptr && (floor == now_ || known->start >= floor);
    Time latest = may_plan || known != nullptr ? last_start(first) : now_;
    if (keeps) latest = std::max(known->start - Duration(1), now_);
    const std::vector<PlannedReservation> before = lift_together(all);
    std::optional<std::vector<Found>> found;
    if (keeps && before.front().start <= now_) found = search_planned(all, before);
    if (!found) found = search_together(all, floor, latest);
    const bool at_once = found && found->front().start == now_;
    if (at_once && !may_start_together(all, *found)) found.reset();
    if (!found && keeps && before.size() == all.size()) {
        // Put back unchecked: a run may be past its expected end just now, which only makes the
        // start late.
        for (std::size_t i = 0; i < all.size(); ++i) book().put(all[i]->id, before[i]);
        first.looked_after = book().last_release();
        return false;
    }
    if (found && !at_once) plan_together(all, *found);
    if (found && at_once) {
        for (std::size_t i = 0; i < all.size(); ++i) start(*all[i], (*found)[i]);
    }
    for (const PlannedReservation& one : before) book().note_releases(one);
    if (found && at_once) return true;
    first.looked_after = book().last_release();
    return false;
}

// Tries the planned nodes once the planned start is due. Searching for each component in turn may
// not find that solution again: the first could prefer the only place of another.
std::optional<std::vector<Found>> CycleRun::search_planned(
    const Together& all, const std::vector<PlannedReservation>& planned_for) {
    std::vector<Found> found;
    for (std::size_t i = 0; i < all.size(); ++i) {
        BitSet nodes(derived_.usable.size());
        for (const NodeId node : planned_for[i].amounts.nodes()) nodes.set(node.index());
        nodes &= derived_.holds.empty() ? derived_.usable : open_to(*all[i]);
        preference_.job = all[i]->id;
        std::optional<Found> place = search_among(nodes, *all[i], now_, now_);
        if (!place) break;
        book().put(all[i]->id, planned_reservation_for(*all[i], *place));
        found.push_back(*std::move(place));
    }
    for (std::size_t i = 0; i < found.size(); ++i) book().lift(all[i]->id);
    if (found.size() < all.size()) return std::nullopt;
    return found;
}

// The earliest time at which all components fit, each beside the ones before it.
std::optional<std::vector<Found>> CycleRun::search_together(const Together& all, Time from,
                                                            Time latest) {
    for (int i = 0; i < kTimesMost && from <= latest; ++i) {
        std::vector<Found> found;
        const std::optional<Time> later = put_together(all, from, latest, found);
        for (std::size_t k = 0; k < found.size(); ++k) book().lift(all[k]->id);
        if (found.size() == all.size()) return found;
        if (!later) return std::nullopt;
        from = *later;
    }
    return std::nullopt;
}

// Books components as long as they fit at the time of the first. Returns a later time to try, when
// the next component fits, or nullopt if all fit or one never does.
std::optional<Time> CycleRun::put_together(const Together& all, Time from, Time latest,
                                           std::vector<Found>& found) {
    for (PendingJob* const one : all) {
        std::optional<Found> place = search(*one, from, latest);
        if (!place) return std::nullopt;
        if (!found.empty() && place->start > from) return place->start;
        from = place->start;
        book().put(one->id, planned_reservation_for(*one, *place));
        found.push_back(*std::move(place));
    }
    return std::nullopt;
}

// Limits count the components started before, so the starts are tried and rolled back.
bool CycleRun::may_start_together(const Together& all, const std::vector<Found>& found) {
    if (!state().quota().enforced()) return true;
    ClusterState& tried = state_;
    const ClusterState::Mark mark = tried.checkpoint();
    bool may = true;
    for (std::size_t i = 0; may && i < all.size(); ++i) {
        const Job& job = *state().find_job(all[i]->id);
        may = limit_reason_of(state(), job, *all[i]->shape->kind) == PendingReason::none;
        if (may) tried.apply(now_, start_of(*all[i], found[i], std::nullopt));
    }
    tried.rollback(mark);
    return may;
}

void CycleRun::plan_together(const Together& all, const std::vector<Found>& found) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        book().put(all[i]->id, planned_reservation_for(*all[i], found[i]));
    }
}

// Removes the components' planned starts. Returns them in order; fewer than all if some component
// had none.
std::vector<PlannedReservation> CycleRun::lift_together(const Together& all) {
    std::vector<PlannedReservation> lifted;
    for (const PendingJob* const one : all) {
        if (book().planned_start(one->id) != nullptr) lifted.push_back(book().lift(one->id));
    }
    return lifted;
}

// Puts back all of them, or none.
bool CycleRun::put_back_together(const Together& all,
                                 const std::vector<PlannedReservation>& before) {
    if (all.empty() || before.size() != all.size()) return false;
    std::size_t put = 0;
    for (; put < all.size() && book().has_room_for(before[put], now_); ++put) {
        book().put(all[put]->id, before[put]);
    }
    if (put == all.size()) return true;
    for (std::size_t i = 0; i < put; ++i) book().lift(all[i]->id);
    return false;
}

// The components' turn in replan_from(): keeps their planned start if it still fits, else plans a
// new one.
void CycleRun::replan_components(PendingJob& first, const std::vector<PlannedReservation>& before,
                                 bool broken) {
    if (before.empty() && !broken) return;
    const Together all = components_of(first);
    first.disturbed = true;
    if (!broken && put_back_together(all, before)) return;
    first.looked = first.looked_ahead = false;
    derived_.unlooked.push_back(first.id);
    for (const PlannedReservation& one : before) book().note_releases(one);
    if (all.empty() || !scheduling().backfill || !spend()) return;
    if (const auto found = search_together(all, now_, last_start(first))) {
        plan_together(all, *found);
    }
}

bool CycleRun::other_is_void(const PendingJob& first) const {
    const Job& job = *state().find_job(first.id);
    for (std::uint32_t i = 1; i < job.het->size; ++i) {
        const PendingJob* const one = derived_.pending.find(job.het->id(i));
        const PlannedReservation* const planned_start = derived_.book.planned_start(job.het->id(i));
        if (one != nullptr && planned_start != nullptr && is_void(*one, *planned_start))
            return true;
    }
    return false;
}

// When one component ends, all end.
void CycleRun::end_components(const Job& ended, const EndJob& fact) {
    const HetComponent het = *ended.het;
    for (std::uint32_t i = 0; i < het.size; ++i) {
        const Job* const other = state().find_job(het.id(i));
        if (i == het.offset || other == nullptr || other->state != JobState::running) continue;
        EndJob same = fact;
        same.job = other->id;
        decide(std::move(same));
    }
}

}  // namespace berth
