#include "berth/engine/cycle/preemptor.h"

#include <algorithm>
#include <ranges>
#include <span>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/het_components.h"
#include "berth/engine/cycle/job_starts.h"
#include "berth/engine/cycle/job_terms.h"
#include "berth/engine/cycle/planned_beside.h"
#include "berth/engine/cycle/preempted_runs.h"
#include "berth/engine/derived/standing.h"
#include "berth/engine/plan/lending.h"
#include "berth/engine/state/job_ids.h"
#include "berth/engine/state/job_queries.h"
#include "berth/engine/state/lent_cores.h"

namespace berth {

bool Preemptor::could_preempt(const PendingJob& pending) {
    const Preemptions& preemptions = cycle_.derived().preemptions;
    if (!preemptions.rules.enabled() || pending.is_component() || !pending.needs_only_room() ||
        pending.shape->kind->depends_on_running)
        return false;
    const Job& job = *cycle_.state().find_job(pending.id);
    if (preemptions.has_failed(pending, job)) return false;
    if (!preemptions.rules.may_preempt_any(job) && !candidates_.may_reclaim(pending)) return false;
    if (preemptions.rules.suspends() && rests(cycle_, job)) return false;
    if (!job.spec.array || job.spec.array->max_running == 0) return !has_hold(cycle_, pending.id);
    // One task at a time: a task with a hold will run beside those that "%" counts.
    return std::ranges::none_of(array_members(cycle_.state(), pending.id),
                                [&](JobId task) { return has_hold(cycle_, task); });
}

// When runs of this grace time have ended: it comes first, and then the time to kill them.
Time Preemptor::ended_after(Duration grace) const {
    return after(cycle_.now(), grace + kill_within(cycle_.scheduling()));
}

// The longest grace time of the candidates that could end before the job's planned start. nullopt:
// there is none.
std::optional<Duration> Preemptor::longest_useful_grace(const PendingJob& pending) const {
    const PlannedReservation* const known = cycle_.book().planned_start(pending.id);
    if (known == nullptr) return candidates_.longest_grace(Duration::max());
    const Duration before = known->start - ended_after({}) - Duration(1);
    return candidates_.longest_grace(before);
}

// What the victims leave must do for the job when they have ended, and not only once candidates
// with longer grace times could have ended as well: others may end by themselves until then.
std::optional<VictimChoice> Preemptor::choose(const PendingJob& pending) {
    for (std::optional<Duration> grace = longest_useful_grace(pending); grace;) {
        std::optional<VictimChoice> choice = choose(pending, *grace);
        if (!choice || choice->victims.empty()) return choice;
        Duration longest{};
        for (const std::size_t place : choice->victims)
            longest = std::max(longest, candidates_.terms_at(place).grace);
        if (longest == *grace) return choice;
        grace = longest;
    }
    return std::nullopt;
}

// The victims without which the job could start when runs of this grace time have ended: only runs
// that have no longer one. None: only planned starts of jobs that it could preempt are in the way.
// nullopt: there is no such choice.
std::optional<VictimChoice> Preemptor::choose(const PendingJob& pending, Duration grace) {
    const Time at = ended_after(grace);
    PlanBook& book = cycle_.book();
    const PreemptRules& rules = cycle_.derived().preemptions.rules;
    const Job& job = *cycle_.state().find_job(pending.id);
    const auto fits = [&] {
        auto found = finder_.find(pending, at, at);
        limited_ = limited_ || finder_.was_limited();
        return found;
    };
    std::vector<std::size_t> places;  // Of those candidates, as far as asked for.
    const auto candidate = [&](std::size_t nth) -> const Victim* {
        while (places.size() <= nth) {
            std::size_t place = places.empty() ? 0 : places.back() + 1;
            while (candidates_.at(place) != nullptr && candidates_.terms_at(place).grace > grace)
                ++place;
            if (candidates_.at(place) == nullptr) return nullptr;
            places.push_back(place);
        }
        return candidates_.at(places[nth]);
    };
    const auto stop = [&](Trial& trial, std::size_t place) {
        for (const JobId id : *candidates_.at(place))
            is_suspended_at(place) ? trial.lend(id) : trial.lift(id);
    };
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
            lift_planned(pending, trial, [&](const Job& other, std::int64_t) {
                return !has_hold(cycle_, other.id);
            });
            choice = choose_victims(
                cycle_.state(), candidate, [&](std::size_t nth) { stop(trial, places[nth]); },
                trial, fits);
            if (choice) {
                for (std::size_t& victim : choice->victims) victim = places[victim];
            }
            // A job that preempts nobody passes no other planned start either.
            if (choice && choice->victims.empty()) choice.reset();
            if (choice && !others_keep_their_starts(pending, trial, *choice)) choice.reset();
        }
    }
    planned_at_ = book.plan_version();  // The trial has put everything back.
    return choice;
}

bool Preemptor::is_suspended_at(std::size_t place) const {
    return candidates_.terms_at(place).mode == PreemptMode::suspend;
}

// Whether planned starts that do not give way to the job keep their room, once the runs that are
// suspended, and those that lend to them, end later than they were to. None of these may miss its
// deadline.
bool Preemptor::others_keep_their_starts(const PendingJob& pending, Trial& trial,
                                         const VictimChoice& choice) {
    const ClusterState& state = cycle_.state();
    const PlanBook& book = trial.book();
    std::vector<JobId> lenders, ending;
    for (const std::size_t place : choice.victims) {
        const Victim& victim = *candidates_.at(place);
        std::vector<JobId>& kind = is_suspended_at(place) ? lenders : ending;
        kind.insert(kind.end(), victim.begin(), victim.end());
    }
    if (lenders.empty()) return true;
    const Trial::Mark before = trial.mark();
    for (const JobId id : ending) trial.lift(id);
    PlannedReservation own = planned_reservation_for(cycle_, pending, choice.found);
    std::vector<NodeId> nodes(own.amounts.nodes().begin(), own.amounts.nodes().end());
    bool in_time = true;
    const Time back = given_back_by(
        cycle_.scheduling(),
        held_length(cycle_.scheduling(), pending.shape->demand(), pending.shape->length),
        cycle_.now());
    for (const LenderEnd& one : ends_if_lent(state, lenders, ending, back, cycle_.now())) {
        const Job& run = *state.find_job(one.run);
        in_time = in_time && !would_miss_deadline(run, one.goes_on, cycle_.now());
        nodes.insert(nodes.end(), run.nodes.begin(), run.nodes.end());
        if (one.end > book.find(one.run)->end) trial.lengthen(one.run, one.end);
    }
    own.set_lent(lent_to_start(state, own.amounts, lenders, ending));
    trial.put(pending.id, std::move(own));
    std::vector<JobId> late;
    for (const JobId id : planned_on(book, nodes)) {
        if (id != pending.id && book.collides(*book.planned_start(id), cycle_.now()))
            late.push_back(id);
    }
    trial.back_to(before);
    // What has lost its room before is planned anew anyway.
    return in_time && std::ranges::all_of(late, [&](JobId id) {
               return book.collides(*book.planned_start(id), cycle_.now());
           });
}

bool Preemptor::preempt_for(PendingJob& pending) {
    if (!could_preempt(pending)) return false;
    candidates_.list_for(pending);
    const PlannedReservation* const known = cycle_.book().planned_start(pending.id);
    const PreemptionSpec& spec = cycle_.scheduling().preemption;
    if (known != nullptr && known->start <= after(cycle_.now(), spec.unless_within)) return false;
    const bool has_any = candidates_.at(0) != nullptr;
    // All of them would end too late.
    if (has_any && !longest_useful_grace(pending)) return false;
    limited_ = false;
    std::optional<VictimChoice> choice;
    if (has_any && has_licenses_now(pending)) choice = choose(pending);
    if (choice && spec.victims_max != 0) {
        std::size_t jobs = 0;
        for (const std::size_t one : choice->victims) jobs += candidates_.at(one)->size();
        if (jobs > spec.victims_max) choice.reset();
    }
    if (!choice) {
        cycle_.derived().preemptions.note_failure(pending, *cycle_.state().find_job(pending.id),
                                                  limited_);
        return false;
    }
    if (choice->victims.empty()) {  // Only planned starts of jobs behind it were in the way.
        plan_after_preemption(pending, pending.id, choice->found);
        return false;
    }
    std::vector<Chosen> chosen;
    for (const std::size_t one : choice->victims)
        chosen.push_back({*candidates_.at(one), candidates_.terms_at(one)});
    candidates_.take(choice->victims);
    const JobId preemptor = decide_preemption(pending, chosen);
    candidates_.note_decided();
    plan_after_preemption(pending, preemptor, choice->found);
    planned_at_ = cycle_.book().plan_version();  // What was added has a hold.
    try_again_at_once(preemptor);
    if (preemptor == pending.id) return false;
    cycle_.leave_rest();  // The task is settled by the next cycle.
    return true;
}

// Runs that stand still already lend at once: the next cycle starts the job.
void Preemptor::try_again_at_once(JobId preemptor) {
    const std::vector<JobId> victims = cycle_.state().index().victims(preemptor);
    const bool any = std::ranges::any_of(
        victims, [&](JobId id) { return stands_still(*cycle_.state().find_job(id)); });
    PendingJob* const waiting = cycle_.derived().pending.find(preemptor);
    if (!any || waiting == nullptr) return;
    waiting->looked = false;
    cycle_.derived().pending.add_unlooked(preemptor);
    cycle_.leave_rest();
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
JobId Preemptor::decide_preemption(const PendingJob& pending, const std::vector<Chosen>& chosen) {
    const Job& job = *cycle_.state().find_job(pending.id);
    JobsPreempted fact{.preemptor = pending.id};
    if (job.spec.array && job.spec.array->tasks.size() > 1) {
        fact.preemptor = cycle_.state().next_job_id();
        fact.array = pending.id;
        fact.array_task = *first_ready_task(cycle_.state(), job, cycle_.now());
    }
    for (const auto& [victim, terms] : chosen) {
        for (const JobId id : victim) {
            const Job& run = *cycle_.state().find_job(id);
            fact.victims.push_back({id, run.attempt, terms.mode, after(cycle_.now(), terms.grace)});
        }
    }
    cycle_.decide(fact);
    for (const JobsPreempted::Victim& victim : fact.victims) {
        const Job& run = *cycle_.state().find_job(victim.job);
        const auto& preempted = run.allocation->preempted;
        if (!preempted || preempted->by != fact.preemptor) continue;  // It could not be.
        if (victim.mode == PreemptMode::suspend) {
            if (!run.is_suspended())
                cycle_.decide(JobSuspended{.job = victim.job, .attempt = victim.attempt});
        } else if (victim.ends_at <= cycle_.now()) {
            end_preempted(cycle_, run);
        }
    }
    return fact.preemptor;
}

// Those whose planned starts may have lost their room on nodes, or under limits, to this one, or to
// the later ends of runs that are suspended for it.
std::vector<JobId> Preemptor::planned_beside(JobId preemptor, const PlannedAmounts& amounts) const {
    const PlanBook& book = cycle_.book();
    std::vector<JobId> others;
    const auto add = [&](std::span<const NodeId> nodes) {
        for (const NodeId node : nodes) {
            const auto planned = book.planned_on(node);
            others.insert(others.end(), planned.begin(), planned.end());
        }
    };
    add(amounts.nodes());
    for (const JobId id : cycle_.state().index().victims(preemptor)) {
        const Job& run = *cycle_.state().find_job(id);
        if (run.lends_cores()) add(*run.nodes);
    }
    const PlannedReservation& own = *book.planned_start(preemptor);
    if (book.limits().exceeds(own.limits, own.start, own.end)) {
        for (const auto& [id, planned] : book.planned_starts()) {
            if (!planned.limits.empty()) others.push_back(id);
        }
    }
    std::erase(others, preemptor);
    put_in_order(others);
    return others;
}

// Plans the start of `preemptor`, which is the pending job or a task of it, in the room that the
// victims leave. Planned starts of jobs behind it that are in the way are planned anew.
void Preemptor::plan_after_preemption(PendingJob& pending, JobId preemptor, const Found& found) {
    if (cycle_.book().planned_start(pending.id) != nullptr)
        cycle_.book().note_releases(cycle_.book().lift(pending.id));
    PlannedReservation planned = planned_reservation_for(cycle_, pending, found);
    planned.set_lent(
        lent_to_start(cycle_.state(), planned.amounts, cycle_.state().index().victims(preemptor)));
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
    for (const JobId id : planned_beside(preemptor, amounts)) {
        PendingJob* const other = cycle_.derived().pending.find(id);
        const PlannedReservation* const start = cycle_.book().planned_start(id);
        if (other == nullptr || start == nullptr || !(pending.key < other->key)) continue;
        if (!cycle_.book().collides(*start, cycle_.now())) continue;
        const std::vector<PlannedReservation> before =
            other->is_component()
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
