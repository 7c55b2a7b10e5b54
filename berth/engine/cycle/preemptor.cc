#include "berth/engine/cycle/preemptor.h"

#include <algorithm>
#include <ranges>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/het_components.h"
#include "berth/engine/cycle/job_starts.h"
#include "berth/engine/cycle/preempted_runs.h"
#include "berth/engine/derived/standing.h"
#include "berth/engine/state/job_ids.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

// Whether all nodes of the run can tell that it has ended.
bool can_prove_its_end(const ClusterState& state, const Job& run) {
    return std::ranges::all_of(run.allocation->shares, [&](const NodeShare& share) {
        const NodeCondition& condition = state.nodes().condition(share.node);
        return condition.registered && condition.responding;
    });
}

bool is_running(const Job* job) {
    return job != nullptr && job->state == JobState::running && !job->allocation->preempted;
}

}  // namespace

// Whether the job has preempted and has not started yet: it chooses no other victims, and no job
// takes the room that they leave.
bool Preemptor::has_hold(JobId job) const {
    const auto& holds = cycle_.state().schedule().preemptor_holds();
    const auto known = holds.find(job);
    return known != holds.end() && cycle_.now() < known->second;
}

bool Preemptor::could_preempt(const PendingJob& pending) {
    const Preemptions& preemptions = cycle_.derived().preemptions;
    if (!preemptions.rules.enabled() || pending.component ||
        pending.shape->kind->depends_on_running)
        return false;
    const Job& job = *cycle_.state().find_job(pending.id);
    if (preemptions.has_failed(pending, job.qos)) return false;
    if (!preemptions.rules.may_preempt_any(job) && !may_reclaim(pending)) return false;
    if (!job.spec.array || job.spec.array->max_running == 0) return !has_hold(pending.id);
    // One task at a time: a task with a hold will run beside those that "%" counts.
    return std::ranges::none_of(array_members(cycle_.state(), pending.id),
                                [&](JobId task) { return has_hold(task); });
}

// Whether runs may be reclaimed for the job.
bool Preemptor::may_reclaim(const PendingJob& pending) {
    const PreemptRules& rules = cycle_.derived().preemptions.rules;
    const Job& job = *cycle_.state().find_job(pending.id);
    Kind& kind = *pending.shape->kind;
    if (!rules.spec().reclaims() || rules.never_preempts(job)) return false;
    if (!is_by_right(cycle_.state(), job, kind)) return false;
    return reclaim().is_by_right(reclaim().claim_of(job, kind.demand, *kind.asked));
}

// With the jobs that have preempted and not started yet.
const Reclaim& Preemptor::reclaim() {
    if (reclaim_ && reclaim_at_ == cycle_.decided()) return *reclaim_;
    const ClusterState& state = cycle_.state();
    reclaim_.emplace(state);
    reclaim_at_ = cycle_.decided();
    for (const auto& [id, until] : state.schedule().preemptor_holds()) {
        const PendingJob* const other = cycle_.derived().pending.find(id);
        if (other == nullptr || !has_hold(id)) continue;
        Kind& kind = *other->shape->kind;
        const Job& job = *state.find_job(id);
        const LimitRequest& asked = limit_request_of(state, job, kind);
        reclaim_->expect(reclaim_->claim_of(job, kind.demand, asked));
    }
    return *reclaim_;
}

// nullopt: the job may not preempt the run, or not now.
std::optional<Preemptor::Candidate> Preemptor::candidate_of(const PendingJob& pending,
                                                            const Job& run,
                                                            const Reclaim::Claim* claim) {
    Preemptions& preemptions = cycle_.derived().preemptions;
    const PreemptRules& rules = preemptions.rules;
    const ClusterState& state = cycle_.state();
    const Job& job = *state.find_job(pending.id);
    const std::int64_t standing = standing_of_run(run);
    Candidate candidate;
    if (rules.may_preempt_any(job) && rules.may_preempt(job, run, pending.priority() - standing)) {
        candidate.terms = rules.terms_of(run);
    } else {
        const auto excess = claim == nullptr ? std::nullopt : reclaim().excess_of(run, *claim);
        candidate.terms = rules.terms_of_reclaimed(run);
        if (!excess || candidate.terms.mode == PreemptMode::off) return std::nullopt;
        candidate.reclaimed = true;
        candidate.excess = *excess;
    }
    if (run.spec.request->reservation != job.spec.request->reservation) return std::nullopt;
    for (std::uint32_t i = 0; i < (run.het ? run.het->size : 1); ++i)
        candidate.victim.push_back(run.het ? run.het->id(i) : run.id);
    const bool all_end = std::ranges::all_of(candidate.victim, [&](JobId one) {
        const Job* const part = state.find_job(one);
        return is_running(part) && can_prove_its_end(state, *part);
    });
    if (!all_end) return std::nullopt;
    if (const Time until = rules.exempt_until(run, candidate.terms, cycle_.now());
        until > cycle_.now()) {
        preemptions.note_exempt(until);
        return std::nullopt;
    }
    std::int64_t lost = 0;
    for (const JobId part : candidate.victim)
        lost += lost_work(state.spec(), *state.find_job(part), cycle_.now());
    candidate.turn = rules.turn_of(run, standing, lost, candidate.reclaimed);
    return candidate;
}

// What is reclaimed comes last, from the queue that is farthest over its quota first, and only
// while that queue is over it.
Preemptor::Candidates Preemptor::find_candidates(const PendingJob& pending) {
    const ClusterState& state = cycle_.state();
    std::optional<Reclaim::Claim> claim;
    if (may_reclaim(pending)) {
        const Kind& kind = *pending.shape->kind;
        claim = reclaim().claim_of(*state.find_job(pending.id), kind.demand, *kind.asked);
    }
    std::vector<Candidate> found;
    for (const JobId id : state.index().holding()) {
        const Job& run = *state.find_job(id);
        if (!is_running(&run) || (run.het && run.het->offset > 0)) continue;
        auto candidate = candidate_of(pending, run, claim ? &*claim : nullptr);
        if (candidate) found.push_back(*std::move(candidate));
    }
    std::ranges::sort(found, {}, [](const Candidate& one) {
        return std::tuple(one.reclaimed, -one.excess, one.turn);
    });
    Candidates candidates;
    std::optional<Reclaim> left;
    if (claim) left.emplace(reclaim());
    for (Candidate& one : found) {
        if (one.reclaimed) {
            const Job& run = *state.find_job(one.victim.front());
            if (!left->excess_of(run, *claim)) continue;
            for (const JobId part : one.victim) left->take(*state.find_job(part));
        }
        candidates.grace = std::max(candidates.grace, one.terms.grace);
        candidates.victims.push_back(std::move(one.victim));
        candidates.terms.push_back(one.terms);
    }
    return candidates;
}

std::int64_t Preemptor::standing_of_run(const Job& run) {
    const auto [at, is_new] = standings_.try_emplace(run.id);
    if (is_new) {
        at->second = standing_of(cycle_.state(), cycle_.derived(), run, cycle_.now());
    }
    return at->second;
}

Preemptor::Candidates& Preemptor::candidates_of(const PendingJob& pending) {
    const Job& job = *cycle_.state().find_job(pending.id);
    const std::pair key(job.partition, job.qos);
    if (candidates_for_ == key) return candidates_;
    candidates_ = find_candidates(pending);
    const bool is_shared = job.spec.request->reservation.empty() &&
                           !cycle_.scheduling().preemption.reclaims() &&
                           !cycle_.derived().preemptions.rules.compares_priorities(job.qos);
    candidates_for_.reset();
    if (is_shared) candidates_for_ = key;
    return candidates_;
}

// When a job could start if all of these ended: their grace time, and then the time to kill them.
Time Preemptor::ended_by(const Candidates& candidates) const {
    return after(cycle_.now(), candidates.grace + std::max<Duration>(cycle_.scheduling().kill_wait,
                                                                     std::chrono::seconds(1)));
}

// The victims without which the job could start at that time. None: only planned starts of jobs
// that it could preempt are in the way. nullopt: there is no such choice.
std::optional<VictimChoice> Preemptor::choose(const PendingJob& pending,
                                              const Candidates& candidates, Time at) {
    PlanBook& book = cycle_.book();
    const PreemptRules& rules = cycle_.derived().preemptions.rules;
    const Job& job = *cycle_.state().find_job(pending.id);
    const auto fits = [&] { return finder_.find(pending, at, at); };
    std::optional<VictimChoice> choice;
    sort_planned();
    {
        Trial trial(cycle_.mutable_state(), book);
        if (book.planned_start(pending.id) != nullptr) trial.lift(pending.id);
        lift_planned(pending, trial, [&](const Job& other, std::int64_t lead) {
            return rules.may_preempt(job, other, lead);
        });
        if (auto found = fits()) {
            choice = VictimChoice{{}, *std::move(found)};
        } else {
            lift_planned(pending, trial,
                         [&](const Job& other, std::int64_t) { return !has_hold(other.id); });
            choice = choose_victims(cycle_.state(), candidates.victims, trial, fits);
            // A job that preempts nobody passes no other planned start either.
            if (choice && choice->victims.empty()) choice.reset();
        }
    }
    planned_at_ = book.plan_version();  // The trial has put everything back.
    return choice;
}

bool Preemptor::preempt_for(PendingJob& pending) {
    if (!could_preempt(pending)) return false;
    Candidates& candidates = candidates_of(pending);
    const Time at = ended_by(candidates);
    const PlannedReservation* const known = cycle_.book().planned_start(pending.id);
    const PreemptionSpec& spec = cycle_.scheduling().preemption;
    const Time soon = std::max(at, after(cycle_.now(), spec.unless_within));
    if (known != nullptr && known->start <= soon) return false;
    std::optional<VictimChoice> choice;
    if (!candidates.victims.empty() && has_licenses_now(pending))
        choice = choose(pending, candidates, at);
    if (choice && spec.victims_max != 0) {
        std::size_t jobs = 0;
        for (const std::size_t one : choice->victims) jobs += candidates.victims[one].size();
        if (jobs > spec.victims_max) choice.reset();
    }
    if (!choice) {
        cycle_.derived().preemptions.note_failure(pending,
                                                  cycle_.state().find_job(pending.id)->qos);
        return false;
    }
    if (choice->victims.empty()) {  // Only planned starts of jobs behind it were in the way.
        plan_after_preemption(pending, pending.id, choice->found);
        return false;
    }
    Candidates chosen;
    for (const std::size_t one : choice->victims) {
        chosen.victims.push_back(candidates.victims[one]);
        chosen.terms.push_back(candidates.terms[one]);
    }
    for (const std::size_t one : choice->victims | std::views::reverse) {
        const auto at_one = static_cast<std::ptrdiff_t>(one);
        candidates.victims.erase(candidates.victims.begin() + at_one);
        candidates.terms.erase(candidates.terms.begin() + at_one);
    }
    const JobId preemptor = decide_preemption(pending, chosen);
    plan_after_preemption(pending, preemptor, choice->found);
    planned_at_ = cycle_.book().plan_version();  // What was added has a hold.
    if (preemptor == pending.id) return false;
    cycle_.leave_rest();  // The task is settled by the next cycle.
    return true;
}

// Without reclaim_licenses, a shortage of licenses is no reason to preempt.
bool Preemptor::has_licenses_now(const PendingJob& pending) const {
    return cycle_.scheduling().preemption.reclaims_licenses || finder_.has_licenses_now(pending);
}

void Preemptor::sort_planned() {
    if (planned_at_ == cycle_.book().plan_version()) return;
    planned_.clear();
    for (const auto& [id, planned] : cycle_.book().planned_starts()) {
        const PendingJob* const job = cycle_.derived().pending.find(id);
        if (job != nullptr) planned_.emplace_back(job->key, id);
    }
    std::ranges::sort(planned_);
    planned_at_ = cycle_.book().plan_version();
}

// Lifts the planned starts of jobs behind this one that give way to it.
template <class GivesWay>
void Preemptor::lift_planned(const PendingJob& pending, Trial& trial, GivesWay gives_way) {
    const auto behind = std::ranges::upper_bound(planned_, pending.key, {},
                                                 [](const auto& one) { return one.first; });
    for (auto at = behind; at != planned_.end(); ++at) {
        const JobId id = at->second;
        const PendingJob* const other = cycle_.derived().pending.find(id);
        if (other == nullptr || cycle_.book().planned_start(id) == nullptr) continue;
        if (!(pending.key < other->key)) continue;  // Priorities have changed.
        if (gives_way(*cycle_.state().find_job(id), pending.priority() - other->priority()))
            trial.lift(id);
    }
}

// Returns the preemptor: of an array with several tasks, the next task, under its own record.
JobId Preemptor::decide_preemption(const PendingJob& pending, const Candidates& chosen) {
    const Job& job = *cycle_.state().find_job(pending.id);
    JobsPreempted fact{.preemptor = pending.id};
    if (job.spec.array && job.spec.array->tasks.size() > 1) {
        fact.preemptor = cycle_.state().next_job_id();
        fact.array = pending.id;
        fact.array_task = *first_ready_task(cycle_.state(), job, cycle_.now());
    }
    for (std::size_t i = 0; i < chosen.victims.size(); ++i) {
        const PreemptTerms& terms = chosen.terms[i];
        for (const JobId id : chosen.victims[i]) {
            const Job& run = *cycle_.state().find_job(id);
            fact.victims.push_back({id, run.attempt, terms.mode, after(cycle_.now(), terms.grace)});
        }
    }
    cycle_.decide(fact);
    for (const JobsPreempted::Victim& victim : fact.victims) {
        const Job& run = *cycle_.state().find_job(victim.job);
        if (victim.ends_at <= cycle_.now()) end_preempted(cycle_, run);
    }
    return fact.preemptor;
}

// Plans the start of `preemptor`, which is the pending job or a task of it, in the room that the
// victims leave. Planned starts of jobs behind it that are in the way are planned anew.
void Preemptor::plan_after_preemption(PendingJob& pending, JobId preemptor, const Found& found) {
    if (cycle_.book().planned_start(pending.id) != nullptr)
        cycle_.book().note_releases(cycle_.book().lift(pending.id));
    PlannedReservation planned = planned_reservation_for(cycle_, pending, found);
    const PlannedAmounts amounts = planned.amounts;
    // Its victims may take long to end.
    PlannedReservation patient = planned;
    patient.end = after(planned.end, cycle_.scheduling().preemption.hold_timeout);
    cycle_.book().put(preemptor, patient);
    if (preemptor == pending.id) {
        pending.looked = pending.looked_ahead = true;
        pending.disturbed = false;
        pending.looked_at = cycle_.now();
        pending.looked_after = cycle_.book().last_release();
    }
    std::vector<JobId> others;
    for (const NodeId node : amounts.nodes()) {
        for (const JobId id : cycle_.book().planned_on(node)) {
            if (id != preemptor) others.push_back(id);
        }
    }
    put_in_order(others);
    for (const JobId id : others) {
        PendingJob* const other = cycle_.derived().pending.find(id);
        const PlannedReservation* const start = cycle_.book().planned_start(id);
        if (other == nullptr || start == nullptr || !(pending.key < other->key)) continue;
        if (!cycle_.book().collides(*start, cycle_.now())) continue;
        const std::vector<PlannedReservation> before =
            other->component
                ? lift_together(cycle_.book(),
                                components_of(cycle_, *cycle_.derived().pending.find(
                                                          cycle_.state().find_job(id)->het->first)))
                : std::vector{cycle_.book().lift(id)};
        for (const PlannedReservation& one : before) cycle_.book().note_releases(one);
        other->looked = other->looked_ahead = false;
        cycle_.derived().pending.add_unlooked(id);
    }
    if (!cycle_.book().collides(patient, cycle_.now())) return;
    cycle_.book().lift(preemptor);  // A job before it has its planned start right behind.
    cycle_.book().put(preemptor, std::move(planned));
}

}  // namespace berth
