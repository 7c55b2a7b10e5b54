#include "berth/engine/cycle/het_components.h"

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/feasibility.h"

namespace berth {

Together components_of(const OpenCycle& cycle, const PendingJob& first) {
    const Job* const job = cycle.state().find_job(first.id);
    Together all;
    for (std::uint32_t i = 0; i < job->het->size; ++i) {
        PendingJob* const one = cycle.derived().pending.find(job->het->id(i));
        if (one == nullptr) return {};
        all.push_back(one);
    }
    return all;
}

void check_component(OpenCycle& cycle, PendingJob& pending, const Job& job) {
    pending.sort = PendingJob::Sort::component;
    if (job.het->offset > 0) {
        if (pending.blocking.reason == PendingReason::none) {
            pending.blocking.reason = PendingReason::priority;
        }
        PendingJob* const first = cycle.derived().pending.find(job.het->first);
        if (first != nullptr) return cycle.derived().pending.unsettle(*first);
        lift_together(cycle.book(), {&pending});
        return;
    }
    const Together all = components_of(cycle, pending);
    if (all.empty()) pending.blocking.reason = PendingReason::resources;
    bool some = false, none = false;
    for (PendingJob* const one : all) {
        (cycle.book().planned_start(one->id) == nullptr ? none : some) = true;
        if (pending.blocking.reason != PendingReason::none || one == &pending) continue;
        find_feasibility(cycle, *one->shape->kind);
        pending.blocking =
            blocking_reason_of(cycle.state(), *cycle.state().find_job(one->id), *one->shape,
                               cycle.derived().budgets(), 0, cycle.now());
    }
    if (pending.blocking.reason == PendingReason::none)
        pending.blocking = feasibility_of_all(cycle, all);
    if (pending.blocking.reason != PendingReason::none || (some && none)) {
        for (const PlannedReservation& before : lift_together(cycle.book(), all))
            cycle.book().note_releases(before);
        pending.looked = pending.looked_ahead = false;
    }
}

std::vector<PlannedReservation> lift_together(PlanBook& book, const Together& all) {
    std::vector<PlannedReservation> lifted;
    for (const PendingJob* const one : all) {
        if (book.planned_start(one->id) != nullptr) lifted.push_back(book.lift(one->id));
    }
    return lifted;
}

bool put_back_together(PlanBook& book, const Together& all,
                       const std::vector<PlannedReservation>& before, Time now) {
    if (all.empty() || before.size() != all.size()) return false;
    std::size_t put = 0;
    for (; put < all.size() && book.has_room_for(before[put], now); ++put) {
        book.put(all[put]->id, before[put]);
    }
    if (put == all.size()) return true;
    for (std::size_t i = 0; i < put; ++i) book.lift(all[i]->id);
    return false;
}

void end_components(OpenCycle& cycle, const Job& ended, const EndJob& fact) {
    const HetComponent het = *ended.het;
    for (std::uint32_t i = 0; i < het.size; ++i) {
        const Job* const other = cycle.state().find_job(het.id(i));
        if (i == het.offset || other == nullptr || other->state != JobState::running) continue;
        EndJob same = fact;
        same.job = other->id;
        cycle.decide(std::move(same));
    }
}

}  // namespace berth
