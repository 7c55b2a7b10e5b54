#include "berth/testing/random_loans.h"

#include <algorithm>

#include "berth/engine/state/lent_cores.h"

namespace berth::testing {

std::optional<Fact> random_loan(Rng& rng, Time now, const ClusterState& state) {
    std::vector<const Job*> runs, waiting;
    for (const auto& [id, job] : state.jobs()) {
        if (job.state == JobState::running) runs.push_back(&job);
        if (job.state == JobState::pending && job.hold == Hold::none) waiting.push_back(&job);
    }
    if (runs.empty() || waiting.empty()) return std::nullopt;
    const Job* const run = rng.pick(runs);
    const Job* const job = rng.pick(waiting);
    if (!run->lends_cores()) {
        JobsPreempted fact{.preemptor = job->id};
        fact.victims.push_back({run->id, run->attempt, PreemptMode::suspend, now});
        return job->spec.array ? std::nullopt : std::optional<Fact>(std::move(fact));
    }
    if (!run->is_suspended()) return JobSuspended{.job = run->id, .attempt = run->attempt};
    if (!run->suspension->proved) return JobFrozen{run->id, run->attempt, run->suspension->changes};
    const NodeShare& held = rng.pick(run->allocation->shares);
    NodeShare taken{.node = held.node, .cores = BitSet(held.cores.size())};
    for (std::size_t core = held.cores.find_first(); core != BitSet::kNone;
         core = held.cores.find_next(core)) {
        if (rng.chance(60)) taken.cores.set(core);
    }
    const bool all_began = std::ranges::all_of(state.index().on_node(held.node), [&](JobId id) {
        return *state.find_job(id)->started_at < now;
    });
    const BitSet& free = state.nodes().free(held.node).cores;
    if (taken.cores.empty() || !all_began || free.size() != taken.cores.size() ||
        !are_lent(state.jobs(), state.index(), held.node, taken.cores - free))
        return std::nullopt;
    const std::uint32_t threads = state.spec().node(held.node).threads_per_core;
    taken.cpus = static_cast<std::uint32_t>(taken.cores.count()) * threads;
    taken.amount.set_cpu(cores(taken.cpus));
    StartJob fact{.job = job->id, .attempt = Attempt(job->attempt.value() + 1)};
    fact.allocation.shares.push_back(std::move(taken));
    fact.allocation.licenses = job->spec.request->licenses->counts;
    if (job->spec.array) {
        fact.array_task = rng.pick(job->spec.array->tasks);
        fact.task_job = job->spec.array->tasks.size() == 1 ? job->id : state.next_job_id();
    }
    return fact;
}

}  // namespace berth::testing
