#include "berth/engine/cycle/plan_repair.h"

#include <algorithm>
#include <map>

#include "berth/engine/cycle/job_starts.h"
#include "berth/engine/cycle/job_terms.h"

namespace berth {

namespace {

// Partitions, features and reservations change, and then a job may no longer use all nodes of its
// planned start.
bool may_use(const Demand& demand, const PlannedAmounts& amounts) {
    return std::ranges::any_of(demand.choices, [&](const BitSet& choice) {
        return std::ranges::all_of(amounts.nodes(),
                                   [&](NodeId node) { return choice.test(node.index()); });
    });
}

}  // namespace

// Whether this planned start can no longer be kept as it is.
bool PlanRepair::is_void(const PendingJob& job, const PlannedReservation& planned_start) const {
    const Duration held = held_length(cycle_.scheduling(), job.shape->demand(), job.shape->length);
    const bool too_late = after(cycle_.now(), held) > planned_start.end;
    if (planned_start.start <= cycle_.now() && too_late) return true;
    return has_lost_place(job, planned_start);
}

bool PlanRepair::has_lost_place(const PendingJob& job,
                                const PlannedReservation& planned_start) const {
    if (!may_use(job.shape->demand(), planned_start.amounts)) return true;
    return std::ranges::any_of(planned_start.amounts.nodes(), [&](NodeId node) {
        return !cycle_.derived().usable.test(node.index());
    });
}

// Whether this is so of a component other than the first.
bool PlanRepair::other_is_void(const PendingJob& first) const {
    const Job& job = *cycle_.state().find_job(first.id);
    for (std::uint32_t i = 1; i < job.het->size; ++i) {
        const PendingJob* const one = cycle_.derived().pending.find(job.het->id(i));
        const PlannedReservation* const planned_start = cycle_.book().planned_start(job.het->id(i));
        if (one != nullptr && planned_start != nullptr && is_void(*one, *planned_start))
            return true;
    }
    return false;
}

void PlanRepair::repair() {
    DerivedState& derived = cycle_.derived();
    PlanBook& book = cycle_.book();
    const Time now = cycle_.now();
    const bool late = std::ranges::any_of(book.overdue_planned_starts(now), [&](JobId id) {
        const PendingJob* job = derived.pending.find(id);
        return job != nullptr && is_void(*job, *book.planned_start(id));
    });
    const bool collision = book.take_collision();
    if (!std::exchange(derived.planned_starts_at_risk, false) && !late && !collision) return;
    const auto& entries = cycle_.order().entries();
    std::vector<bool> broken(entries.size());
    std::size_t first = entries.size();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].job == nullptr) continue;
        PendingJob& job = *entries[i].job;
        const PlannedReservation* planned_start = book.planned_start(job.id);
        // Runs stand still for it: it keeps its start, as far as it can be kept.
        const bool moved = job.moved_in_order && !has_lenders(cycle_.state(), job.id);
        broken[i] = moved || (planned_start != nullptr && is_void(job, *planned_start)) ||
                    (job.is_component() && other_is_void(job));
        job.moved_in_order = false;
        const bool suffers =
            broken[i] || (collision && planned_start != nullptr &&
                          (job.is_component() || book.collides(*planned_start, now)));
        if (suffers && first == entries.size()) first = i;
    }
    if (first < entries.size()) replan_from(first, broken);
}

// Makes room for the first broken planned start: takes out all planned starts from there on and
// puts them back in order, unchanged where that is still possible.
void PlanRepair::replan_from(std::size_t first, const std::vector<bool>& broken) {
    DerivedState& derived = cycle_.derived();
    PlanBook& book = cycle_.book();
    const Time now = cycle_.now();
    const auto& entries = cycle_.order().entries();
    std::vector<std::optional<PlannedReservation>> before(entries.size());
    std::map<JobId, std::vector<PlannedReservation>> together;
    for (std::size_t i = first; i < entries.size(); ++i) {
        if (entries[i].job == nullptr) continue;
        const JobId id = entries[i].job->id;
        if (entries[i].job->is_component()) {
            together[id] = lift_together(book, components_of(cycle_, *entries[i].job));
            continue;
        }
        if (book.planned_start(id) != nullptr) before[i] = book.lift(id);
    }
    for (std::size_t i = first; i < entries.size(); ++i) {
        if (entries[i].job == nullptr) continue;
        PendingJob& job = *entries[i].job;
        if (job.is_component()) {
            components_.replan(job, together[job.id], broken[i]);
            continue;
        }
        if (!before[i] && !broken[i]) continue;
        if (!broken[i] && book.has_room_for(*before[i], now)) {
            book.put(job.id, *std::move(before[i]));
            job.disturbed = true;  // Releases made meanwhile did not mark it.
            continue;
        }
        job.looked = job.looked_ahead = false;
        derived.pending.add_unlooked(job.id);
        if (before[i]) book.note_releases(*before[i]);
        // Without a planned start it gives up the cores that stand still for it.
        if (has_lenders(cycle_.state(), job.id)) {
            if (before[i] && has_lost_place(job, *before[i]))
                cycle_.decide(PlanJob{.job = job.id, .planned = {}, .chooses_anew = true});
            continue;
        }
        if (!cycle_.scheduling().backfill) continue;  // It is planned after the jobs ahead of it.
        if (!cycle_.spend()) continue;
        if (auto found = finder_.find(job, now, last_start(cycle_.state(), job, now))) {
            book.put(job.id, planned_reservation_for(cycle_, job, *found));
        }
        job.limited = finder_.was_limited();
    }
}

}  // namespace berth
