#include "berth/engine/cycle/rounds.h"

#include <algorithm>

#include "berth/engine/cycle/plan_quota.h"

namespace berth {

namespace {

// After this many settled jobs, a round over a long queue continues in the next cycle. Settled jobs
// cost no attempt, but requests and reports must not wait for all of them.
constexpr std::size_t kSettledAtOnce = 8192;

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

void Rounds::run() {
    if (!cycle_.scheduling().backfill) return run_in_strict_order();
    if (cycle_.moves_are_limited()) return run_limited();
    while (cycle_.complete() && run_round()) {
    }
}

// Whether what a job releases when it moves is offered to the jobs before it first.
bool Rounds::is_strict() const {
    return cycle_.order().size() <= DerivedState::kStrict && !cycle_.moves_are_limited();
}

// Whether any job without a planned start could start at once.
bool Rounds::unplanned_may_start() {
    bool any = false;
    cycle_.derived().pending.each_kind([&](Kind& kind) {
        for (Shape* const shape : kind.shapes) {
            if (any || kind.of_components) return;
            any = bounds_.earliest_unplanned(*shape) <= cycle_.now();
        }
    });
    return any;
}

// Whether no job beyond the planned ones can gain anything.
bool Rounds::tail_is_settled(std::size_t planned_starts_seen) {
    const DerivedState& derived = cycle_.derived();
    if (derived.pending.any_takes_less() ||
        planned_starts_seen < cycle_.book().planned_starts().size())
        return false;
    const bool any_new = std::ranges::any_of(derived.pending.unlooked(), [&](JobId id) {
        const PendingJob* job = derived.pending.find(id);
        return job != nullptr && job->ordered && !job->looked;
    });
    return !any_new && !unplanned_may_start();
}

// Runs one round, or the rest of one. True: another round may find more.
bool Rounds::run_round() {
    JobOrder& order = cycle_.order();
    PlanBook& book = cycle_.book();
    cycle_.derived().mark_disturbed();
    DerivedState::Round& round = cycle_.derived().round;
    if (!round.under_way) round = {.under_way = true, .begun_at = book.last_release()};
    std::size_t i = round.after ? order.behind(*round.after) : 0;
    PlanQuota quota(cycle_.state(), cycle_.now());
    std::size_t planned_starts = 0;
    const bool may_run_out = !quota.admits_all(order.size());
    const auto count = [&](const PendingJob& job) {
        if (!may_run_out) return;
        quota.count(job);
        if (book.planned_start(job.id) != nullptr) ++planned_starts;
    };
    for (std::size_t k = 0; k < i; ++k) {
        if (order.entries()[k].job != nullptr) count(*order.entries()[k].job);
    }
    std::size_t settled = 0;
    bool asked_tail = false, asked_new = false;
    for (; i < order.entries().size(); ++i) {
        const JobOrder::Entry entry = order.entries()[i];
        if (entry.job == nullptr) continue;
        prefetch_behind(order.entries(), i);
        if (quota.is_exhausted() && !std::exchange(asked_tail, true)) {
            if (tail_is_settled(planned_starts)) break;
        }
        if (!cycle_.may_move() && !asked_new && quota.admits_all(order.size())) {
            asked_new = true;
            look_at_new();
            if (!cycle_.complete()) return false;
            cycle_.leave_unmoved();
            if (book.planned_starts().size() >= order.size()) break;
            if (entry.job != order.entries()[i].job) continue;  // The job has started.
        }
        const bool may_plan = quota.admits(*entry.job);
        if (!placer_.is_settled(*entry.job, may_plan)) {
            const ReleaseNumber seen = book.last_release();
            const bool waits = placer_.try_to_schedule(*entry.job, cycle_.now(), may_plan);
            if (!cycle_.complete()) return false;
            cycle_.derived().mark_disturbed();
            if (waits) count(*entry.job);
            if (seen != book.last_release() && is_strict()) {
                round = {};  // The jobs before it go first.
                return true;
            }
        } else {
            count(*entry.job);
            if (++settled == kSettledAtOnce) {
                round.after = entry.key;
                cycle_.leave_rest();
                return false;
            }
        }
        round.after = entry.key;
    }
    return end_round();
}

// Jobs that name several partitions: those of a lower tier come last, behind the jobs there.
void Rounds::look_in_lower_tiers() {
    if (cycle_.derived().pending.others.empty()) return;
    for (std::size_t i = 0; i < cycle_.order().entries().size(); ++i) {
        PendingJob* const job = cycle_.order().entries()[i].job;
        if (job != nullptr && job->names_several()) placer_.try_in_lower_tiers(*job);
        if (!cycle_.complete()) return;
    }
}

bool Rounds::end_round() {
    look_in_lower_tiers();
    if (!cycle_.complete()) return false;
    const ReleaseNumber begun_at = std::exchange(cycle_.derived().round, {}).begun_at;
    if (cycle_.left_unmoved()) return false;
    // Update the bounds before the fresh nodes are forgotten.
    cycle_.derived().pending.each_kind([&](Kind& kind) {
        for (Shape* const shape : kind.shapes) bounds_.earliest_unplanned(*shape);
    });
    cycle_.book().forget_fresh(begun_at);
    return cycle_.book().last_release() != begun_at;
}

// A job that names several partitions waits in each of its tier where it can run: nobody there
// passes it.
void Rounds::block_others(const PendingJob& job, std::vector<Time>& floors) const {
    for (const OtherPartition& one : cycle_.derived().pending.others.at(job.id)) {
        const ClusterSpec& spec = cycle_.state().spec();
        if (OtherPartitions::is_meant(spec, job, one, OtherPartitions::Which::of_its_tier) &&
            OtherPartitions::is_open(cycle_, job.id, one))
            floors[one.partition.index()] = kNever;
    }
}

bool Rounds::starts_in_lower_tier(const std::vector<Time>& floors) {
    if (cycle_.derived().pending.others.empty()) return false;
    return std::ranges::any_of(cycle_.order().entries(), [&](const JobOrder::Entry& entry) {
        return entry.job != nullptr && entry.job->names_several() &&
               placer_.start_elsewhere(*entry.job, OtherPartitions::Which::lower, floors);
    });
}

// Without backfill: no job starts before those ahead of it in its partition.
void Rounds::run_in_strict_order() {
    for (ReleaseNumber seen = 0; seen != cycle_.book().last_release();) {
        seen = cycle_.book().last_release();
        cycle_.derived().mark_disturbed();
        std::vector<Time> floors(cycle_.state().spec().partitions.size(), cycle_.now());
        PlanQuota quota(cycle_.state(), cycle_.now());
        for (std::size_t i = 0; i < cycle_.order().entries().size(); ++i) {
            PendingJob* job = cycle_.order().entries()[i].job;
            if (job == nullptr) continue;
            Time& floor = floors[job->partition.index()];
            const JobId id = job->id;
            const bool waits = placer_.try_to_schedule(*job, floor, quota.admits(*job));
            if (!cycle_.complete()) return;
            if (!waits) continue;
            // The next cycle goes on: what starts elsewhere may have a place in the order there.
            if (job->names_several() &&
                placer_.start_elsewhere(*job, OtherPartitions::Which::of_its_tier, floors))
                return cycle_.leave_rest();
            if (job->names_several()) block_others(*job, floors);
            quota.count(*job);
            // When a job that is already late will start is unknown. Nothing is planned behind it;
            // otherwise every millisecond would bring the next job a new planned start.
            const PlannedReservation* planned_start = cycle_.book().planned_start(id);
            const bool is_late = planned_start == nullptr || planned_start->start <= cycle_.now();
            floor = std::max(floor, is_late ? kNever : planned_start->start);
        }
        if (starts_in_lower_tier(floors)) return cycle_.leave_rest();
    }
    cycle_.derived().mark_disturbed();
    cycle_.book().forget_fresh(cycle_.book().last_release());
}

// Tries the jobs not tried yet, where every pending job gets a planned start.
void Rounds::look_at_new() {
    std::vector<PendingJob*> jobs;
    for (const JobId id : cycle_.derived().pending.unlooked()) {
        PendingJob* job = cycle_.derived().pending.find(id);
        if (job != nullptr && job->ordered && !job->looked) jobs.push_back(job);
    }
    std::ranges::sort(jobs, {}, [](const PendingJob* job) -> const OrderKey& { return job->key; });
    std::vector<JobId> ids;  // They may leave on the way.
    ids.reserve(jobs.size());
    for (const PendingJob* job : jobs) ids.push_back(job->id);
    for (const JobId id : ids) {
        PendingJob* job = cycle_.derived().pending.find(id);
        if (job != nullptr && job->ordered) placer_.try_to_schedule(*job, cycle_.now(), true);
        if (!cycle_.complete()) return;
    }
}

// What moved jobs release may let others start at once.
void Rounds::run_limited() {
    while (cycle_.complete()) {
        const bool more = run_round();
        const ReleaseNumber seen = cycle_.book().last_release();
        passes_.start_whoever_can();
        if (!more && seen == cycle_.book().last_release()) return;
    }
}

}  // namespace berth
