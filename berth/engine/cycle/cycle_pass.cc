// The part of a cycle that chooses which jobs to try.
#include <algorithm>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/cycle.h"
#include "berth/engine/cycle/plan_quota.h"
#include "berth/engine/plan/free_slot_stream.h"

namespace berth {

namespace {

// After this many settled jobs, a round over a long queue continues in the next cycle. Settled jobs
// cost no attempt, but requests and reports must not wait for all of them.
constexpr std::size_t kSettledAtOnce = 8192;

}  // namespace

// Marks the jobs whose planned nodes had something released.
void CycleRun::note_disturbed() {
    for (const JobId id : book().take_disturbed()) {
        if (PendingJob* job = derived_.pending.find(id)) job->disturbed = true;
    }
}

// Whether nothing that happened since the job was last tried can help it, or the job cannot be
// moved in this cycle.
bool CycleRun::is_settled(PendingJob& job, bool may_plan) {
    if (!job.looked) return false;
    if (job.component) return are_settled(job, may_plan);
    const bool news = job.disturbed || job.looked_after != book().last_release();
    if (job.takes_less && news && book().any_fresh()) return false;
    Shape& shape = *job.shape;
    if (const PlannedReservation* planned_start = book().planned_start(job.id)) {
        if (planned_start->start <= now_ && job.looked_at < planned_start->start) return false;
        if (!news) return true;
        left_unmoved_ = left_unmoved_ || !may_move();
        return !may_move() || !could_move(job, *planned_start);
    }
    if (job.disturbed || (may_plan && !job.looked_ahead)) return false;
    const Time latest = may_plan ? after(now_, scheduling().plan_window) : now_;
    return earliest_unplanned(shape) > latest;
}

// ---- Immediate starts, before everything else.

void CycleRun::look_at_head() {
    note_disturbed();
    PlanQuota quota(state(), now_);
    for (std::size_t i = 0; i < order().entries().size() && quota.blocked() < DerivedState::kHead;
         ++i) {
        if (!may_move()) return;
        PendingJob* job = order().entries()[i].job;
        if (job == nullptr) continue;
        const bool may_plan = quota.admits(*job);
        if (is_settled(*job, may_plan)) {
            quota.count(*job);
            continue;
        }
        const ReleaseNumber seen = book().last_release();
        if (try_to_schedule(*job, now_, may_plan)) quota.count(*job);
        if (!result_.complete) return;
        if (seen == book().last_release() || moves_are_limited()) continue;
        note_disturbed();  // The jobs before it go first.
        i = static_cast<std::size_t>(-1);
        quota.reset();
    }
}

// Tries the jobs whose planned start is due.
void CycleRun::look_at_due() {
    for (const JobId id : book().overdue_planned_starts(now_)) {
        PendingJob* job = derived_.pending.find(id);
        if (job == nullptr || !job->ordered || is_settled(*job, true)) continue;
        try_to_schedule(*job, now_, true);
        if (!result_.complete) return;
    }
}

namespace {

// The length of the shortest shape that may have jobs.
Duration shortest_of(const Kind& kind) {
    for (const auto& [length, shape] : kind.shapes) {
        if (!shape.expired()) return length;
    }
    return Duration::max();
}

}  // namespace

// Finds for each kind the longest run that could start at once on fresh nodes.
bool CycleRun::mark_quick_kinds() {
    bool any = false;
    derived_.pending.each_kind([&](Kind& kind) {
        kind.failed_now = Duration::max();
        kind.longest_now = Duration::min();
        const ClassRequirements* known = requirements(kind);
        if (!known->known || kind.needs_a_look()) {
            kind.longest_now = Duration::max();  // Unknown: every job is tried.
            any = true;
            return;
        }
        const Window window{now_, now_, Duration(1)};
        for (std::size_t i = 0; i < kind.demand.choices.size(); ++i) {
            const FreeSlotIndex& fresh =
                book().all_fresh() ? book().free_slots() : book().fresh_free_slots();
            FreeSlotStream free_slots(known->choices[i], fresh, book(), kind.demand.choices[i],
                                      derived_.usable, window);
            FreeSlotStream::Offered offered;
            while (kind.longest_now < Duration::max() && free_slots.next(offered)) {
                const Duration length = offered.free_slot.end == kNever
                                            ? Duration::max()
                                            : offered.free_slot.end - now_;
                kind.longest_now = std::max(kind.longest_now, length);
            }
        }
        any = any || shortest_of(kind) <= kind.longest_now;
    });
    return any;
}

bool CycleRun::could_start_now(const PendingJob& job) const {
    const Kind& kind = *job.shape->kind;
    return job.disturbed || !job.looked ||
           (job.shape->length <= kind.longest_now && job.shape->length < kind.failed_now);
}

// Tries, in order, every job that is new or could start at once on what was released.
void CycleRun::look_for_quick_starts() {
    if (!result_.complete) return;
    if (moves_are_limited()) return start_whoever_can();
    if (order().size() <= DerivedState::kHead || book().all_fresh()) return;
    note_disturbed();
    if (!book().any_fresh() || !mark_quick_kinds()) return;
    PlanQuota quota(state(), now_);
    for (std::size_t i = 0; i < order().entries().size(); ++i) {
        PendingJob* job = order().entries()[i].job;
        if (job == nullptr) continue;
        const bool may_plan = quota.admits(*job);
        if (!could_start_now(*job)) {
            quota.count(*job);
            continue;
        }
        const std::shared_ptr<Shape> shape = job->shape;
        const std::uint32_t starts = starts_;
        if (try_to_schedule(*job, now_, may_plan)) quota.count(*job);
        if (!result_.complete) return;
        if (starts_ == starts) {
            shape->kind->failed_now = std::min(shape->kind->failed_now, shape->length);
        } else if (!mark_quick_kinds()) {
            return;
        }
    }
}

// ---- All jobs.

void CycleRun::run_rounds() {
    if (!scheduling().backfill) return run_in_strict_order();
    if (moves_are_limited()) return run_limited_rounds();
    while (result_.complete && run_round()) {
    }
}

// Whether any job without a planned start could start at once.
bool CycleRun::unplanned_may_start() {
    bool any = false;
    derived_.pending.each_kind([&](Kind& kind) {
        for (const auto& [length, known] : kind.shapes) {
            if (any || kind.of_components) return;
            const auto shape = known.lock();
            any = shape != nullptr && earliest_unplanned(*shape) <= now_;
        }
    });
    return any;
}

// Whether no job beyond the planned ones can gain anything.
bool CycleRun::tail_is_settled(std::size_t planned_starts_seen) {
    if (derived_.any_takes_less || planned_starts_seen < book().planned_starts().size())
        return false;
    const bool any_new = std::ranges::any_of(derived_.unlooked, [&](JobId id) {
        const PendingJob* job = derived_.pending.find(id);
        return job != nullptr && job->ordered && !job->looked;
    });
    return !any_new && !unplanned_may_start();
}

namespace {

// Prefetches the data of the next jobs while this one is tried: a long queue exceeds the
// processor's caches.
void prefetch_behind(const std::vector<JobOrder::Entry>& entries, std::size_t i) {
    const auto job_at = [&](std::size_t at) {
        return at < entries.size() ? entries[at].job : nullptr;
    };
    if (const PendingJob* job = job_at(i + 6)) {
        __builtin_prefetch(job);
        __builtin_prefetch(&job->looked_at);
    }
    if (const PendingJob* job = job_at(i + 4)) __builtin_prefetch(job->shape.get());
    if (const PendingJob* job = job_at(i + 3)) {
        const Kind& kind = *job->shape->kind;
        __builtin_prefetch(&kind.requirements);
        __builtin_prefetch(&kind.demand);
    }
    if (const PendingJob* job = job_at(i + 2)) {
        const ClassRequirements& known = job->shape->kind->requirements;
        if (!known.choices.empty()) __builtin_prefetch(known.choices.front().data());
    }
}

}  // namespace

// Runs one round, or the rest of one. True: another round may find more.
bool CycleRun::run_round() {
    note_disturbed();
    DerivedState::Round& round = derived_.round;
    if (!round.under_way) round = {.under_way = true, .begun_at = book().last_release()};
    std::size_t i = round.after ? order().behind(*round.after) : 0;
    PlanQuota quota(state(), now_);
    std::size_t planned_starts = 0;
    const bool may_run_out = !quota.admits_all(order().size());
    const auto count = [&](const PendingJob& job) {
        if (!may_run_out) return;
        quota.count(job);
        if (book().planned_start(job.id) != nullptr) ++planned_starts;
    };
    for (std::size_t k = 0; k < i; ++k) {
        if (order().entries()[k].job != nullptr) count(*order().entries()[k].job);
    }
    std::size_t settled = 0;
    bool asked_tail = false, asked_new = false;
    for (; i < order().entries().size(); ++i) {
        const JobOrder::Entry entry = order().entries()[i];
        if (entry.job == nullptr) continue;
        prefetch_behind(order().entries(), i);
        if (quota.is_exhausted() && !std::exchange(asked_tail, true)) {
            if (tail_is_settled(planned_starts)) break;
        }
        if (!may_move() && !asked_new && quota.admits_all(order().size())) {
            asked_new = true;
            look_at_new();
            if (!result_.complete) return false;
            left_unmoved_ = true;
            if (book().planned_starts().size() >= order().size()) break;
            if (entry.job != order().entries()[i].job) continue;  // The job has started.
        }
        const bool may_plan = quota.admits(*entry.job);
        if (!is_settled(*entry.job, may_plan)) {
            const ReleaseNumber seen = book().last_release();
            const bool waits = try_to_schedule(*entry.job, now_, may_plan);
            if (!result_.complete) return false;
            note_disturbed();
            if (waits) count(*entry.job);
            if (seen != book().last_release() && is_strict()) {
                round = {};  // The jobs before it go first.
                return true;
            }
        } else {
            count(*entry.job);
            if (++settled == kSettledAtOnce) {
                round.after = entry.key;
                result_.complete = false;
                return false;
            }
        }
        round.after = entry.key;
    }
    return end_round();
}

bool CycleRun::end_round() {
    const ReleaseNumber begun_at = std::exchange(derived_.round, {}).begun_at;
    if (left_unmoved_) return false;
    // Update the bounds before the fresh nodes are forgotten.
    derived_.pending.each_kind([&](Kind& kind) {
        for (const auto& [length, known] : kind.shapes) {
            if (const auto shape = known.lock()) earliest_unplanned(*shape);
        }
    });
    book().forget_fresh(begun_at);
    return book().last_release() != begun_at;
}

// Without backfill: no job starts before those ahead of it in its partition.
void CycleRun::run_in_strict_order() {
    for (ReleaseNumber seen = 0; seen != book().last_release();) {
        seen = book().last_release();
        note_disturbed();
        std::vector<Time> floors(state().spec().partitions.size(), now_);
        PlanQuota quota(state(), now_);
        for (std::size_t i = 0; i < order().entries().size(); ++i) {
            PendingJob* job = order().entries()[i].job;
            if (job == nullptr) continue;
            Time& floor = floors[job->partition.index()];
            const JobId id = job->id;
            const bool waits = try_to_schedule(*job, floor, quota.admits(*job));
            if (!result_.complete) return;
            if (!waits) continue;
            quota.count(*job);
            // When a job that is already late will start is unknown. Nothing is planned behind it;
            // otherwise every millisecond would bring the next job a new planned start.
            const PlannedReservation* planned_start = book().planned_start(id);
            const bool is_late = planned_start == nullptr || planned_start->start <= now_;
            floor = std::max(floor, is_late ? kNever : planned_start->start);
        }
    }
    note_disturbed();
    book().forget_fresh(book().last_release());
}

}  // namespace berth
