#include "berth/sim/faulty_planner.h"

#include <algorithm>

#include "berth/base/bitmask.h"
#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/cycle.h"
#include "berth/engine/cycle/job_starts.h"
#include "berth/engine/cycle/start_finder.h"

namespace berth::sim {
namespace {

void append(std::vector<Fact>& decisions, std::vector<Fact> more) {
    for (Fact& fact : more) decisions.push_back(std::move(fact));
}

// ---- Starts that should not be.

// Beside running jobs, whatever is planned.
std::optional<Found> beside_running(OpenCycle& cycle, const PendingJob& job) {
    if (!job.ordered) return std::nullopt;
    const auto free = [&](NodeId node) {
        const bool usable = cycle.derived().usable.test(node.index());
        return usable ? &cycle.state().nodes().free(node).amount : nullptr;
    };
    auto placed = place(job.shape->demand(), free, cycle.preference());
    auto* const parts = std::get_if<std::vector<Part>>(&placed);
    return parts == nullptr ? std::nullopt : std::optional(Found{cycle.now(), std::move(*parts)});
}

std::optional<Found> despite_blocking(OpenCycle& cycle, const PendingJob& job) {
    const PendingReason reason = job.blocking.reason;
    const bool ignored = job.blocking.by_limit || reason == PendingReason::begin_time ||
                         reason == PendingReason::dependency;
    const Job& record = *cycle.state().find_job(job.id);
    const bool ready = !record.spec.array || first_ready_task(cycle.state(), record, cycle.now());
    if (!ignored || !ready) return std::nullopt;
    StartBounds bounds(cycle);
    cycle.prefer_for(job);
    return StartFinder(cycle, bounds)
        .find_among(cycle.derived().usable, job, cycle.now(), cycle.now());
}

template <auto find>
Cycle start_more(ClusterState& state, DerivedState& derived, Time now, std::uint32_t budget) {
    Cycle done = CycleRun(state, derived, now, budget).run();
    OpenCycle cycle(state, derived, now, 0);
    std::vector<JobId> waiting;
    for (const auto& [id, job] : derived.pending.all()) waiting.push_back(id);
    for (const JobId id : waiting) {
        const PendingJob* const job = derived.pending.find(id);
        if (job == nullptr || job->is_component()) continue;
        if (const auto found = find(cycle, *job)) start(cycle, *job, *found);
    }
    append(done.decisions, cycle.close({}).decisions);
    return done;
}

// ---- Ends that should not be.

// A run of another account, for the first job that waits.
std::optional<JobsPreempted> any_preemption(const ClusterState& state, const PendingJobs& pending,
                                            Time now) {
    for (const auto& [id, one] : pending.all()) {
        const Job& job = *state.find_job(id);
        if (one.is_component() || job.spec.array) continue;
        for (const JobId other : state.index().holding()) {
            const Job& run = *state.find_job(other);
            const bool goes_on = run.state == JobState::running && !run.allocation->preempted;
            if (!goes_on || run.het || run.spec.account == job.spec.account) continue;
            return JobsPreempted{.preemptor = id,
                                 .victims = {{other, run.attempt, PreemptMode::requeue, now}}};
        }
    }
    return std::nullopt;
}

Cycle take_from_anyone(ClusterState& state, DerivedState& derived, Time now, std::uint32_t budget) {
    Cycle done = CycleRun(state, derived, now, budget).run();
    if (!state.schedule().preemptor_holds().empty()) return done;
    const auto preempted = any_preemption(state, derived.pending, now);
    if (!preempted) return done;
    OpenCycle cycle(state, derived, now, 0);
    cycle.decide(*preempted);
    append(done.decisions, cycle.close({}).decisions);
    return done;
}

// ---- Other planned starts.

std::vector<JobId> planned_in(const Cycle& cycle) {
    std::vector<JobId> ids;
    for (const Fact& fact : cycle.decisions) {
        const auto* const planned = std::get_if<JobsPlanned>(&fact);
        if (planned == nullptr) continue;
        for (const auto& [id, start] : planned->jobs) {
            if (start) ids.push_back(id);
        }
    }
    return ids;
}

Cycle book_too_short(ClusterState& state, DerivedState& derived, Time now, std::uint32_t budget) {
    Cycle done = CycleRun(state, derived, now, budget).run();
    JobsPlanned halves;
    for (const JobId id : planned_in(done)) {
        PlannedStart planned = *state.schedule().planned(id);
        planned.end = planned.start + (planned.end - planned.start) / 2;
        halves.jobs.emplace_back(id, std::move(planned));
    }
    if (halves.jobs.empty()) return done;
    OpenCycle cycle(state, derived, now, 0);
    cycle.decide(std::move(halves));
    append(done.decisions, cycle.close({}).decisions);
    return done;
}

// Plans these jobs again, by as much later.
std::vector<Fact> plan_later(ClusterState& state, DerivedState& derived, Time now,
                             const std::vector<JobId>& jobs, Duration by) {
    OpenCycle cycle(state, derived, now, 0);
    StartBounds bounds(cycle);
    StartFinder finder(cycle, bounds);
    JobsPlanned later;
    for (const JobId id : jobs) {
        const PendingJob* const job = derived.pending.find(id);
        if (job == nullptr || job->is_component() || derived.book.planned_start(id) == nullptr)
            continue;
        PlannedReservation planned = derived.book.lift(id);
        if (const auto found = finder.find(*job, planned.start + by, kNever)) {
            planned = planned_reservation_for(cycle, *job, *found);
        }
        derived.book.put(id, planned);
        later.jobs.emplace_back(id, PlannedStart{planned.start, planned.end, planned.amounts,
                                                 planned.rarely->licenses});
    }
    if (!later.jobs.empty()) cycle.record(std::move(later));
    return cycle.close({}).decisions;
}

Cycle overlook_a_free_slot(ClusterState& state, DerivedState& derived, Time now,
                           std::uint32_t budget) {
    Cycle done = CycleRun(state, derived, now, budget).run();
    append(done.decisions, plan_later(state, derived, now, planned_in(done), Duration(1)));
    return done;
}

Cycle break_planned_starts(ClusterState& state, DerivedState& derived, Time now,
                           std::uint32_t budget) {
    std::vector<JobId> planned;
    for (const auto& [id, start] : state.schedule().planned_starts()) planned.push_back(id);
    Cycle done = CycleRun(state, derived, now, budget).run();
    append(done.decisions, plan_later(state, derived, now, planned, std::chrono::minutes(1)));
    return done;
}

// ---- Other devices.

void give_twice(const ClusterState& state, Allocation& allocation) {
    for (NodeShare& share : allocation.shares) {
        const int devices = static_cast<int>(state.spec().node(share.node).devices.size());
        const int count = popcount(share.devices);
        if (!share.device_share && count < devices) share.devices = low_bits(count);
    }
}

void tear_cliques(const ClusterState& state, Allocation& allocation) {
    for (NodeShare& share : allocation.shares) {
        DeviceMask free = state.nodes().free(share.node).devices;
        const int count = popcount(share.devices);
        share.devices = 0;
        for (int taken = 0; taken < count; ++taken) {
            const int highest = 63 - std::countl_zero(free);
            const DeviceMask one = bit(taken % 2 == 0 ? lowest(free) : highest);
            share.devices |= one;
            free &= ~one;
        }
    }
}

template <auto change>
Cycle allocate_otherwise(ClusterState& state, DerivedState& derived, Time now,
                         std::uint32_t budget) {
    const ClusterState::Mark before = state.checkpoint();
    Cycle done = CycleRun(state, derived, now, budget).run();
    const bool starts = std::ranges::any_of(
        done.decisions, [](const Fact& fact) { return std::holds_alternative<StartJob>(fact); });
    if (!starts) {
        state.commit(before);
        return done;
    }
    state.rollback(before);
    for (Fact& fact : done.decisions) {
        if (auto* const start = std::get_if<StartJob>(&fact)) change(state, start->allocation);
        state.apply(now, fact);
    }
    derived.rebuild(state);
    return done;
}

}  // namespace

void pile_up_parts(const ClusterState& state, Allocation& allocation) {
    for (NodeShare& share : allocation.shares) {
        const auto& shared = state.nodes().free(share.node).shared;
        if (!share.device_share || shared.empty()) continue;
        const std::uint32_t device = shared.front().device;
        share.devices = share.whole_devices() | bit(static_cast<int>(device));
        share.device_share->device = device;
    }
}

void inject(Engine& engine, InjectedFault fault) {
    switch (fault) {
        case InjectedFault::none: return;
        case InjectedFault::forgets_planned_starts:
            return engine.run_cycles_by(start_more<beside_running>);
        case InjectedFault::books_too_short: return engine.run_cycles_by(book_too_short);
        case InjectedFault::overlooks_a_free_slot:
            return engine.run_cycles_by(overlook_a_free_slot);
        case InjectedFault::breaks_planned_starts:
            return engine.run_cycles_by(break_planned_starts);
        case InjectedFault::tears_cliques:
            return engine.run_cycles_by(allocate_otherwise<tear_cliques>);
        case InjectedFault::ignores_blocking_reasons:
            return engine.run_cycles_by(start_more<despite_blocking>);
        case InjectedFault::takes_from_anyone: return engine.run_cycles_by(take_from_anyone);
        case InjectedFault::gives_twice:
            return engine.run_cycles_by(allocate_otherwise<give_twice>);
        case InjectedFault::piles_up_parts:
            return engine.run_cycles_by(allocate_otherwise<pile_up_parts>);
    }
}

}  // namespace berth::sim
