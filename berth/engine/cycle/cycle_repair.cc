// The part of a cycle that repairs the plan: replaces planned starts that can no longer be kept,
// and replans the jobs behind them.
#include <algorithm>
#include <map>

#include "berth/engine/cycle/cycle.h"

namespace berth {

// Whether this planned start can no longer be kept as it is.
bool CycleRun::is_void(const PendingJob& job, const PlannedReservation& planned_start) const {
    const bool too_late = after(now_, job.shape->length) > planned_start.end;
    if (planned_start.start <= now_ && too_late) return true;
    return std::ranges::any_of(planned_start.amounts.nodes(),
                               [&](NodeId node) { return !derived_.usable.test(node.index()); });
}

bool CycleRun::collides(const PlannedReservation& planned_start) const {
    return derived_.book.collides(planned_start, now_);
}

// Does nothing unless something happened that may break a planned start.
void CycleRun::repair() {
    const bool late = std::ranges::any_of(book().overdue_planned_starts(now_), [&](JobId id) {
        const PendingJob* job = derived_.pending.find(id);
        return job != nullptr && is_void(*job, *book().planned_start(id));
    });
    const bool collision = book().take_collision();
    if (!std::exchange(derived_.planned_starts_at_risk, false) && !late && !collision) return;
    const auto& entries = order().entries();
    std::vector<bool> broken(entries.size());
    std::size_t first = entries.size();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].job == nullptr) continue;
        PendingJob& job = *entries[i].job;
        const PlannedReservation* planned_start = book().planned_start(job.id);
        broken[i] = job.moved_in_order ||
                    (planned_start != nullptr && is_void(job, *planned_start)) ||
                    (job.component && other_is_void(job));
        job.moved_in_order = false;
        const bool suffers = broken[i] || (collision && planned_start != nullptr &&
                                           (job.component || collides(*planned_start)));
        if (suffers && first == entries.size()) first = i;
    }
    if (first < entries.size()) replan_from(first, broken);
}

// Makes room for the first broken planned start: takes out all planned starts from there on and
// puts them back in order, unchanged where that is still possible.
void CycleRun::replan_from(std::size_t first, const std::vector<bool>& broken) {
    const auto& entries = order().entries();
    std::vector<std::optional<PlannedReservation>> before(entries.size());
    std::map<JobId, std::vector<PlannedReservation>> together;
    for (std::size_t i = first; i < entries.size(); ++i) {
        if (entries[i].job == nullptr) continue;
        const JobId id = entries[i].job->id;
        if (entries[i].job->component) {
            together[id] = lift_together(components_of(*entries[i].job));
            continue;
        }
        if (book().planned_start(id) != nullptr) before[i] = book().lift(id);
    }
    for (std::size_t i = first; i < entries.size(); ++i) {
        if (entries[i].job == nullptr) continue;
        PendingJob& job = *entries[i].job;
        if (job.component) {
            replan_components(job, together[job.id], broken[i]);
            continue;
        }
        if (!before[i] && !broken[i]) continue;
        if (!broken[i] && book().has_room_for(*before[i], now_)) {
            book().put(job.id, *std::move(before[i]));
            job.disturbed = true;  // Releases made meanwhile did not mark it.
            continue;
        }
        job.looked = job.looked_ahead = false;
        derived_.unlooked.push_back(job.id);
        if (before[i]) book().note_releases(*before[i]);
        if (!scheduling().backfill) continue;  // It is planned after the jobs ahead of it.
        if (!spend()) continue;
        if (auto found = search(job, now_, last_start(job))) {
            book().put(job.id, planned_reservation_for(job, *found));
        }
    }
}

}  // namespace berth
