#include "berth/engine/cycle/start_passes.h"

#include <algorithm>

#include "berth/engine/cycle/plan_quota.h"
#include "berth/engine/plan/free_slot_stream.h"

namespace berth {

namespace {

// The length of the shortest shape.
Duration shortest_of(const Kind& kind) {
    return kind.shapes.empty() ? Duration::max() : kind.shapes.front()->length;
}

bool fits_now(const Shape& shape) {
    return shape.length <= shape.kind->longest_now && shape.length < shape.kind->failed_now;
}

bool fits_elsewhere(const PendingJobs& jobs, const PendingJob& job) {
    return job.names_several() &&
           std::ranges::any_of(jobs.others.at(job.id),
                               [](const OtherPartition& one) { return fits_now(*one.shape); });
}

bool could_start_now(const PendingJobs& jobs, const PendingJob& job) {
    if (job.waits_ahead()) return !job.looked;
    return job.disturbed || !job.looked || fits_now(*job.shape) || fits_elsewhere(jobs, job);
}

// The time until which some of this dimension is free, from now on; now if none is.
Time free_until(const Timeline& timeline, DimensionId dimension, Time now) {
    for (std::size_t i = timeline.step_at(now); i < timeline.size(); ++i) {
        if (timeline.free(i)[dimension.index()] <= 0) return std::max(timeline.start(i), now);
    }
    return kNever;
}

}  // namespace

void StartPasses::look_at_head() {
    cycle_.derived().mark_disturbed();
    PlanQuota quota(cycle_.state(), cycle_.now());
    for (std::size_t i = 0;
         i < cycle_.order().entries().size() && quota.blocked() < DerivedState::kHead; ++i) {
        if (!cycle_.may_move()) return;
        PendingJob* job = cycle_.order().entries()[i].job;
        if (job == nullptr) continue;
        const bool may_plan = quota.admits(*job);
        if (placer_.is_settled(*job, may_plan)) {
            quota.count(*job);
            continue;
        }
        const ReleaseNumber seen = cycle_.book().last_release();
        if (placer_.try_to_schedule(*job, cycle_.now(), may_plan)) quota.count(*job);
        if (!cycle_.complete()) return;
        if (seen == cycle_.book().last_release() || cycle_.moves_are_limited()) continue;
        cycle_.derived().mark_disturbed();  // The jobs before it go first.
        i = static_cast<std::size_t>(-1);
        quota.reset();
    }
}

void StartPasses::look_at_due() {
    for (const JobId id : cycle_.book().overdue_planned_starts(cycle_.now())) {
        PendingJob* job = cycle_.derived().pending.find(id);
        if (job == nullptr || !job->ordered || placer_.is_settled(*job, true)) continue;
        placer_.try_to_schedule(*job, cycle_.now(), true);
        if (!cycle_.complete()) return;
    }
}

// Finds for each kind the longest run that could start at once on fresh nodes.
bool StartPasses::mark_quick_kinds() {
    const PlanBook& book = cycle_.book();
    const Time now = cycle_.now();
    bool any = false;
    cycle_.derived().pending.each_kind([&](Kind& kind) {
        kind.failed_now = Duration::max();
        kind.longest_now = Duration::min();
        const ClassRequirements& known = bounds_.requirements(kind);
        if (!known.known || kind.needs_a_look()) {
            kind.longest_now = Duration::max();  // Unknown: every job is tried.
            any = true;
            return;
        }
        const Window window{now, now, Duration(1)};
        for (std::size_t i = 0; i < kind.demand.choices.size(); ++i) {
            FreeSlotStream free_slots(known.choices[i], book.fresh_free_slots(), book,
                                      kind.demand.choices[i], cycle_.derived().usable, window);
            FreeSlotStream::Offered offered;
            while (kind.longest_now < Duration::max() && free_slots.next(offered)) {
                const Duration length =
                    offered.free_slot.end == kNever ? Duration::max() : offered.free_slot.end - now;
                kind.longest_now = std::max(kind.longest_now, length);
            }
        }
        any = any || shortest_of(kind) <= kind.longest_now;
    });
    return any;
}

void StartPasses::look_for_quick_starts() {
    if (!cycle_.complete()) return;
    if (cycle_.moves_are_limited()) return start_whoever_can();
    if (cycle_.order().size() <= DerivedState::kHead || cycle_.book().all_fresh()) return;
    cycle_.derived().mark_disturbed();
    if (!cycle_.book().any_fresh() || !mark_quick_kinds()) return;
    PlanQuota quota(cycle_.state(), cycle_.now());
    for (std::size_t i = 0; i < cycle_.order().entries().size(); ++i) {
        PendingJob* job = cycle_.order().entries()[i].job;
        if (job == nullptr) continue;
        const bool may_plan = quota.admits(*job);
        if (!could_start_now(cycle_.derived().pending, *job)) {
            quota.count(*job);
            continue;
        }
        const SharedShape shape = job->shape;
        const std::uint32_t starts = cycle_.starts();
        const bool waits = placer_.try_to_schedule(*job, cycle_.now(), may_plan);
        if (waits) quota.count(*job);
        if (!cycle_.complete()) return;
        if (cycle_.starts() == starts) {
            if (!waits || !job->limited)  // Others of its shape may have other limits.
                shape->kind->failed_now = std::min(shape->kind->failed_now, shape->length);
        } else if (!mark_quick_kinds()) {
            return;
        }
    }
}

// Jobs that could have their planned part of some node from now on.
std::vector<JobId> StartPasses::find_shifts() const {
    const DerivedState& derived = cycle_.derived();
    const PlanBook& book = cycle_.book();
    const Time now = cycle_.now();
    std::vector<JobId> shifts;
    const bool all_ask_devices = !derived.pending.any_without_devices();
    for (const NodeId node : book.planned_nodes()) {
        const Timeline& timeline = book.timeline(node);
        const DimensionId key = book.classes().key_dimension(book.classes().class_of(node));
        const Time last = free_until(timeline, all_ask_devices ? key : kCpuDimension, now);
        if (last <= now) continue;
        const std::span<const JobId> jobs = book.planned_on(node);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            if (book.starts_on(node)[i] > last) continue;
            const PendingJob* job = derived.pending.find(jobs[i]);
            if (job == nullptr || !job->ordered || job->waits_ahead()) continue;
            // With licenses or several nodes, what the job lacked may have been released elsewhere.
            const Demand& demand = job->shape->demand();
            const bool elsewhere = demand.nodes_min > 1 || !demand.licenses.counts.empty();
            if (!job->disturbed && !elsewhere) continue;
            if (earlier_.has_room_from(*book.planned_start(jobs[i]), now))
                shifts.push_back(jobs[i]);
        }
    }
    std::ranges::sort(shifts);
    shifts.erase(std::unique(shifts.begin(), shifts.end()), shifts.end());
    return shifts;
}

// One pass over the jobs that could start at once. True: something was released on the way.
bool StartPasses::look_for_starts() {
    cycle_.derived().mark_disturbed();
    const bool any_kind = mark_quick_kinds();
    const std::vector<JobId> shifts = find_shifts();
    if (!any_kind && shifts.empty()) return false;
    PlanQuota quota(cycle_.state(), cycle_.now());
    for (std::size_t i = 0; i < cycle_.order().entries().size(); ++i) {
        PendingJob* job = cycle_.order().entries()[i].job;
        if (job == nullptr) continue;
        const bool may_plan = quota.admits(*job);
        const Duration length = job->shape->length;
        const bool fits = !job->waits_ahead() &&
                          (fits_now(*job->shape) || fits_elsewhere(cycle_.derived().pending, *job));
        if (job->looked && !fits && !std::ranges::binary_search(shifts, job->id)) {
            quota.count(*job);
            continue;
        }
        const SharedShape shape = job->shape;
        const std::uint32_t starts = cycle_.starts();
        const ReleaseNumber seen = cycle_.book().last_release();
        const bool waits = placer_.try_to_schedule(*job, cycle_.now(), may_plan);
        if (waits) quota.count(*job);
        if (!cycle_.complete()) return false;
        if (seen != cycle_.book().last_release()) return true;  // The jobs before it go first.
        if (cycle_.starts() == starts) {
            if (!waits || !job->limited)
                shape->kind->failed_now = std::min(shape->kind->failed_now, length);
        } else if (!mark_quick_kinds() && shifts.empty()) {
            return false;
        }
    }
    return false;
}

void StartPasses::start_whoever_can() {
    MoveLimit& moves = cycle_.derived().moves;
    const PlanBook& book = cycle_.book();
    if (!book.any_fresh()) return;
    while (cycle_.complete() && !moves.has_started_all(cycle_.now(), book.last_release())) {
        if (look_for_starts()) continue;
        moves.note_started_all(cycle_.now(), book.last_release());
    }
}

}  // namespace berth
