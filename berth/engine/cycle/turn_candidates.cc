#include "berth/engine/cycle/turn_candidates.h"

#include <algorithm>
#include <ranges>

#include "berth/engine/derived/standing.h"
#include "berth/engine/plan/lending.h"
#include "berth/engine/state/lent_cores.h"
#include "berth/engine/state/turns.h"

namespace berth {
namespace {

// The most runs that hold one core of the run, itself included.
std::uint32_t holders(const ClusterState& state, const Job& run) {
    std::uint32_t most = 1;
    const std::vector<JobId> sharers = turn_sharers(state.jobs(), state.index(), run);
    if (sharers.empty()) return most;
    for (const NodeShare& share : run.allocation->shares) {
        for (std::size_t core = share.cores.find_first(); core < share.cores.size();
             core = share.cores.find_next(core)) {
            std::uint32_t here = 1;
            for (const JobId id : sharers) {
                const NodeShare* const other = share_on(*state.find_job(id), share.node);
                const bool alike = other != nullptr && other->cores.size() == share.cores.size();
                if (alike && other->cores.test(core)) ++here;
            }
            most = std::max(most, here);
        }
    }
    return most;
}

}  // namespace

bool TurnCandidates::may_have_any(const PendingJob& pending) const {
    if (!cycle_.scheduling().preemption.gang) return false;
    if (pending.is_component() || pending.waits_ahead() || pending.takes_less ||
        pending.shape->kind->depends_on_running)
        return false;
    const Job& job = *cycle_.state().find_job(pending.id);
    // Whole nodes have devices, too.
    if (asks_for_gres(*job.spec.request) || pending.shape->demand().exclusive) return false;
    const PreemptRules& rules = cycle_.derived().preemptions.rules;
    return jobs_on_core(cycle_.state().spec(), job) > 1 ||
           (rules.suspends() && rules.may_preempt_any(job));
}

// Whether it holds cores alone, as they are now, and its nodes can prove that it stands still.
bool TurnCandidates::can_take_turns(const Job& run) const {
    const ClusterState& state = cycle_.state();
    if (run.state != JobState::running || run.het || run.is_configuring()) return false;
    if (run.allocation->preempted && !run.lends_by_turns()) return false;
    if (run.is_suspended() && !run.awaits_turn()) return false;
    if (run.suspension && run.suspension->unproved) return false;
    if (asks_for_gres(*run.spec.request)) return false;
    const PartitionSpec& partition = state.spec().partition(run.partition);
    if (partition.exclusive || (run.spec.request->exclusive && !partition.ignores_exclusive()))
        return false;
    return std::ranges::all_of(run.allocation->shares, [&](const NodeShare& share) {
        const NodeCondition& condition = state.nodes().condition(share.node);
        return share.devices == 0 && condition.registered && condition.responding &&
               is_as_taken(state.spec().node(share.node), share);
    });
}

bool TurnCandidates::is_preempted_by(const PendingJob& pending, const Job& run) const {
    const PreemptRules& rules = cycle_.derived().preemptions.rules;
    const ClusterState& state = cycle_.state();
    const Job& job = *state.find_job(pending.id);
    if (!rules.suspends() || !rules.may_preempt_any(job)) return false;
    const PreemptTerms terms = rules.terms_of(run);
    if (terms.mode != PreemptMode::suspend) return false;
    const std::int64_t lead =
        pending.priority() - standing_of(state, cycle_.derived(), run, cycle_.now());
    return rules.may_preempt(job, run, lead) &&
           rules.exempt_until(run, terms, cycle_.now()) <= cycle_.now();
}

// 1: they share none. Preemption by suspension makes room for one more.
std::uint32_t TurnCandidates::most_on_core(const PendingJob& pending, const Job& run) const {
    const ClusterSpec& spec = cycle_.state().spec();
    const Job& job = *cycle_.state().find_job(pending.id);
    const std::uint32_t shared = std::min(jobs_on_core(spec, job), jobs_on_core(spec, run));
    return is_preempted_by(pending, run) ? shared + 1 : shared;
}

void TurnCandidates::drop(std::span<const std::size_t> places) {
    for (const std::size_t place : places | std::views::reverse)
        all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(place));
}

void TurnCandidates::list_for(const PendingJob& pending) {
    const ClusterState& state = cycle_.state();
    const Job& job = *state.find_job(pending.id);
    all_.clear();
    for (const JobId id : state.index().holding()) {
        const Job& run = *state.find_job(id);
        if (run.partition != job.partition || !can_take_turns(run)) continue;
        if (run.spec.request->reservation != job.spec.request->reservation) continue;
        std::uint32_t most = most_on_core(pending, run);
        if (most == 1) continue;
        for (const JobId other : turn_sharers(state.jobs(), state.index(), run))
            most = std::min(most, most_on_core(pending, *state.find_job(other)));
        const std::uint32_t there = holders(state, run);
        if (there >= most) continue;
        if (*run.started_at >= cycle_.now()) {  // Of two that share cores, one began before.
            cycle_.derived().preemptions.note_exempt(after(*run.started_at, Duration(1)));
            continue;
        }
        const auto& qos = state.spec().qos;
        const std::int64_t rank = run.qos.index() < qos.size() ? qos[run.qos.index()].priority : 0;
        all_.push_back({{id}, {there, rank, run.nodes.size(), id}});
    }
    std::ranges::sort(all_, {}, &Candidate::order);
}

}  // namespace berth
