#include "berth/engine/explain/explain_victims.h"

#include <algorithm>
#include <tuple>

#include "berth/engine/derived/standing.h"
#include "berth/engine/explain/explain_preemption.h"
#include "berth/engine/explain/start_search.h"
#include "berth/engine/plan/trial.h"
#include "berth/engine/preempt/victim_search.h"

namespace berth {
namespace {

struct RunBelow {
    std::int64_t lost = 0;
    JobId job{0};
};

bool has_gpus(const ClusterSpec& spec, const Job& run) {
    return std::ranges::any_of(spec.dimensions.of_name("gpu"),
                               [&](DimensionId d) { return (*run.allocated)[d] > 0; });
}

// Of one component each, the least loss first.
std::vector<RunBelow> runs_below(const ClusterState& state, const DerivedState& derived,
                                 const PendingJob& pending, Time now) {
    std::vector<RunBelow> found;
    for (const JobId id : state.index().holding()) {
        const Job& run = *state.find_job(id);
        if (run.state != JobState::running || run.allocation->preempted || run.het) continue;
        if (standing_of(state, derived, run, now) >= pending.priority()) continue;
        found.push_back({lost_work(state.spec(), run, now), id});
    }
    std::ranges::sort(found, {}, [](const RunBelow& one) { return std::pair(one.lost, one.job); });
    return found;
}

// "3.2 GPU-hours"; of runs without GPUs "12.0 core-hours".
std::string work_text(const ClusterState& state, const std::vector<JobId>& runs, Time now) {
    std::int64_t gpu_seconds = 0, core_seconds = 0;
    for (const JobId id : runs) {
        const Job& run = *state.find_job(id);
        (has_gpus(state.spec(), run) ? gpu_seconds : core_seconds) +=
            lost_work(state.spec(), run, now);
    }
    const bool of_gpus = gpu_seconds > 0 || core_seconds == 0;
    const std::int64_t tenths = ((of_gpus ? gpu_seconds : core_seconds) + 180) / 360;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
           (of_gpus ? " GPU-hours" : " core-hours");
}

}  // namespace

bool fits_if_lent(Engine& engine, Time now, const PendingJob& pending,
                  const std::vector<JobId>& lenders) {
    const DerivedState& derived = engine.derived();
    const Kind& kind = *pending.shape->kind;
    const EngineView view(engine.state(), derived, now);
    const PlacementPreference preference{
        derived.policy.placement(engine.state().spec().partition(pending.partition)),
        view,
        pending.id,
        &derived.domains,
        &engine.state(),
        &derived.topologies};
    const StartSearch search(engine.state(), derived, now, preference);
    std::vector<JobId> behind;
    for (const auto& [id, planned] : derived.book.planned_starts()) {
        const PendingJob* const other = derived.pending.find(id);
        const bool gives_way = other != nullptr && pending.key < other->key;
        if (id == pending.id || gives_way) behind.push_back(id);
    }
    Trial trial = engine.trial();
    for (const JobId id : behind) trial.lift(id);
    for (const JobId id : lenders) trial.lend(id);
    // Each node is examined.
    return search.immediate({.demand = kind.demand, .length = pending.shape->length}).has_value();
}

std::optional<std::string> advice_to_preempt(Engine& engine, Time now, const PendingJob& pending) {
    const ClusterState& state = engine.state();
    const DerivedState& derived = engine.derived();
    const Kind& kind = *pending.shape->kind;
    const Job& job = *state.find_job(pending.id);
    if (kind.depends_on_running || kind.relaxed || pending.is_component()) return std::nullopt;
    if (!state.index().victims(job.id).empty()) return std::nullopt;
    const std::vector<RunBelow> candidates = runs_below(state, derived, pending, now);
    if (candidates.empty()) return std::nullopt;
    std::vector<Victim> victims;
    victims.reserve(candidates.size());
    for (const RunBelow& one : candidates) victims.push_back({one.job});
    const EngineView view(state, derived, now);
    const PlacementPreference preference{
        derived.policy.placement(state.spec().partition(pending.partition)),
        view,
        pending.id,
        &derived.domains,
        &state,
        &derived.topologies};
    const StartSearch search(state, derived, now, preference);
    const bool is_known = kind.requirements.generation == derived.book.generation();
    const StartSearch::Wanted wanted{kind.demand, pending.shape->length,
                                     is_known ? &kind.requirements : nullptr,
                                     kind.has_affinities ? &job : nullptr};
    Trial trial = engine.trial();
    if (derived.book.planned_start(job.id) != nullptr) trial.lift(job.id);
    const FitsNow fits = [&] { return search.immediate(wanted); };
    const VictimAt candidate = [&](std::size_t place) {
        return place < victims.size() ? &victims[place] : nullptr;
    };
    const StopVictim stop = [&](std::size_t place) { trial.lift(victims[place].front()); };
    const auto choice = choose_victims(state, candidate, stop, trial, fits);
    if (!choice || choice->victims.empty()) return std::nullopt;
    std::vector<JobId> runs;
    for (const std::size_t place : choice->victims) runs.push_back(victims[place].front());
    std::ranges::sort(runs);
    const bool differs = std::ranges::any_of(runs, [&](JobId id) {
        const Job& run = *state.find_job(id);
        return run.allocation->checkpoint || run.spec.command->restart_cost > Duration{};
    });
    const std::string said = differs ? "would lose " : runs.size() == 1 ? "has run " : "have run ";
    return "would start now if it might preempt " + names_of(state, runs) + ", which " + said +
           work_text(state, runs, now);
}

}  // namespace berth
