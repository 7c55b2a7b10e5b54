#include "berth/engine/cycle/other_partitions.h"

#include <algorithm>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/feasibility.h"
#include "berth/engine/cycle/job_terms.h"
#include "berth/engine/state/job_queries.h"

namespace berth {

namespace {

// Whether the job could have no such reason in another partition.
bool depends_on_partition(PendingReason reason, const Job& job) {
    switch (reason) {
        case PendingReason::partition_down:
        case PendingReason::partition_inactive:
        case PendingReason::partition_node_limit:
        case PendingReason::partition_time_limit:
        case PendingReason::max_mem_per_limit:
        case PendingReason::bad_constraints:
        case PendingReason::req_node_not_avail: return true;
        case PendingReason::deadline:
        case PendingReason::qos_max_wall: return !job.spec.request->time_limit;
        default: return false;
    }
}

BlockingReason blocking_in(const OpenCycle& cycle, const Job& job, const Shape& shape) {
    find_feasibility(cycle, *shape.kind);
    return blocking_reason_of(cycle.state(), job, shape, cycle.derived().budgets(),
                              cycle.derived().running_tasks(job), cycle.now());
}

// Whether this partition keeps the job from starting, whatever ends or is released.
bool is_shut(const OpenCycle& cycle, const Job& job, const Shape& shape) {
    const BlockingReason blocking = blocking_in(cycle, job, shape);
    if (!blocking.by_limit) return depends_on_partition(blocking.reason, job);
    // Such as one on the time, of which each partition may have another default.
    return !may_start_alone(cycle.state(), job, shape.demand(),
                            limit_request_of(cycle.state(), job, *shape.kind));
}

}  // namespace

void move_to(OpenCycle& cycle, JobId id, PartitionId partition, const FlavorChoice& flavor) {
    const Job moved = moved_to(cycle.state().spec(), *cycle.state().find_job(id), partition);
    cycle.decide(JobMoved{
        .job = id, .partition = partition, .time_limit = moved.time_limit, .flavor = flavor});
}

bool OtherPartitions::is_open(const OpenCycle& cycle, JobId job, const OtherPartition& there) {
    const Job moved =
        moved_to(cycle.state().spec(), *cycle.state().find_job(job), there.partition, there.flavor);
    return blocking_in(cycle, moved, *there.shape).reason == PendingReason::none;
}

void leave_shut_partition(OpenCycle& cycle, const PendingJob& job) {
    const Job& record = *cycle.state().find_job(job.id);
    if (!job.is_misplaced() && !is_shut(cycle, record, *job.shape)) return;
    const OtherPartition* first = nullptr;
    const std::vector<OtherPartition>& others = cycle.derived().pending.others.at(job.id);
    for (const OtherPartition& one : others) {
        if (OtherPartitions::is_open(cycle, job.id, one)) {
            first = &one;
            break;
        }
        const Job moved = moved_to(cycle.state().spec(), record, one.partition, one.flavor);
        if (first == nullptr && !is_shut(cycle, moved, *one.shape)) first = &one;
    }
    if (first == nullptr && job.is_misplaced()) first = &others.front();
    if (first != nullptr) move_to(cycle, job.id, first->partition, first->flavor);
}

bool OtherPartitions::is_meant(const ClusterSpec& spec, const PendingJob& job,
                               const OtherPartition& there, Which which) {
    const bool is_lower =
        spec.partition(there.partition).priority_tier < spec.partition(job.partition).priority_tier;
    return is_lower == (which == Which::lower);
}

// Flavors have quotas of their own, and partitions seldom have. A job that waits for one quota in
// any case is planned where its turn comes first.
bool OtherPartitions::may_wait_ahead(const PendingJob& job, const OtherPartition& there) {
    if (there.flavor.none() || !cycle_.scheduling().backfill) return false;
    if (there.shape->kind->depends_on_running) return false;
    const DerivedState& derived = cycle_.derived();
    const bool counts = !job.waits_ahead();
    if (counts &&
        derived.pending.ahead.of(BlockingReason::Ahead::yes) >= ahead_most(cycle_.scheduling()))
        return false;
    const ClusterState& state = cycle_.state();
    const Job moved =
        moved_to(state.spec(), *state.find_job(job.id), there.partition, there.flavor);
    Kind& kind = *there.shape->kind;
    const auto reasons = blocking_reasons_of(state, moved, *there.shape, derived.budgets(),
                                             derived.running_tasks(moved), cycle_.now());
    return reasons.size() == 1 && reasons.front().by_limit &&
           may_start_alone(state, moved, kind.demand, limit_request_of(state, moved, kind));
}

// The job as searches see it there.
PendingJob OtherPartitions::job_in(const PendingJob& job, const OtherPartition& there) {
    PendingJob moved = job;
    moved.partition = there.partition;
    moved.shape = there.shape;
    moved.blocking = {};
    if (!there.flavor.none() && !is_open(cycle_, job.id, there)) {
        moved.blocking.by_limit = true;
        moved.blocking.ahead = BlockingReason::Ahead::yes;
    }
    return moved;
}

Time OtherPartitions::latest_start(const PendingJob& there, std::optional<Time> planned,
                                   const Look& look) {
    const Time now = cycle_.now();
    const Time horizon = last_start(cycle_.state(), there, now);
    const Time soonest = std::min(horizon, now);
    if (look.is_for_now() || there.shape->kind->depends_on_running) return soonest;
    if (!planned) return look.may_plan ? horizon : soonest;
    if (cycle_.may_move()) return std::min(horizon, std::max(*planned - Duration(1), now));
    cycle_.leave_unmoved();
    return soonest;
}

// Whether a search there by then may find a start. What is known of a partition must not outlive
// the fresh nodes that it was not held against.
bool OtherPartitions::may_help(const PendingJob& job, OtherPartition& there, bool is_planned,
                               Time latest, const Look& look) {
    if (latest < cycle_.now()) return false;
    const bool has_bounds = look.floors == nullptr;  // Without backfill none are kept.
    if (has_bounds && is_settled(there, is_planned, latest)) return false;
    if (is_open(cycle_, job.id, there)) return true;
    if (latest > cycle_.now() && !look.is_for_now() && may_wait_ahead(job, there)) return true;
    there.seen_until = Time::min();
    return false;
}

bool OtherPartitions::is_settled(OtherPartition& there, bool is_planned, Time latest) {
    const ReleaseNumber last_release = cycle_.book().last_release();
    if (there.limited) return there.seen_after == last_release && latest <= there.seen_until;
    if (!is_planned) return bounds_.earliest_unplanned(*there.shape) > latest;
    if (latest > there.seen_until) return false;
    if (there.seen_after == last_release) return true;
    const Time hope = bounds_.fresh_hope(*there.shape);
    if (hope <= latest) return false;
    there.seen_until = std::min(there.seen_until, hope - Duration(1));
    there.seen_after = last_release;
    return true;
}

bool OtherPartitions::are_settled(const PendingJob& job, const Look& look) {
    std::vector<OtherPartition>& others = cycle_.derived().pending.others.at(job.id);
    // What it has preempted for keeps its room in the partition where it stands.
    if (cycle_.state().schedule().preemptor_holds().contains(job.id)) {
        forget_searches(others);
        return true;
    }
    const PlannedReservation* const known = cycle_.book().planned_start(job.id);
    const std::optional<Time> planned = known ? std::optional(known->start) : std::nullopt;
    return std::ranges::none_of(others, [&](OtherPartition& one) {
        if (!is_meant(cycle_.state().spec(), job, one, look.which)) return false;
        const Time latest = latest_start(job_in(job, one), planned, look);
        return may_help(job, one, planned.has_value(), latest, look);
    });
}

std::optional<OtherPartitions::Better> OtherPartitions::search(const PendingJob& job,
                                                               std::optional<Time> planned,
                                                               const Look& look) {
    const Time now = cycle_.now();
    std::optional<Better> best;
    for (OtherPartition& one : cycle_.derived().pending.others.at(job.id)) {
        if (!is_meant(cycle_.state().spec(), job, one, look.which)) continue;
        if (look.floors != nullptr && (*look.floors)[one.partition.index()] > now) continue;
        const PendingJob there = job_in(job, one);
        Time latest = latest_start(there, planned, look);
        if (best) latest = std::min(latest, best->found.start - Duration(1));
        if (!may_help(job, one, planned.has_value(), latest, look)) continue;
        if (!cycle_.spend()) break;
        if (planned && latest > now && cycle_.moves_are_limited()) cycle_.derived().moves.spend();
        Time from = now;
        if (!planned && !one.limited && look.floors == nullptr)
            from = std::max(from, bounds_.earliest_unplanned(*one.shape));
        std::optional<Found> found = finder_.find(there, from, latest);
        note_search(one, found, planned.has_value(), latest);
        if (found) {
            best = Better{one.partition, one.flavor, *std::move(found), finder_.was_limited()};
        }
    }
    return best;
}

// What one job learns of its shape holds for all: its own planned start was out of the way. A job
// without one keeps nothing for itself: behind the depth, it may not be asked for long.
void OtherPartitions::note_search(OtherPartition& there, const std::optional<Found>& found,
                                  bool is_planned, Time latest) {
    const Time now = cycle_.now();
    there.seen_after = cycle_.book().last_release();
    there.limited = finder_.was_limited();
    if (there.limited) {
        there.seen_until = found ? found->start - Duration(1) : latest;
        return;
    }
    Shape& shape = *there.shape;
    const Time first = found           ? found->start
                       : latest <= now ? bounds_.earliest_from(now + Duration(1), shape)
                                       : latest + Duration(1);
    there.seen_until = is_planned ? first - Duration(1) : Time::min();
    const bool is_known = shape.bound_at == there.seen_after;
    shape.bound = is_known ? std::max(shape.bound, first) : first;
    shape.bound_at = there.seen_after;
}

}  // namespace berth
