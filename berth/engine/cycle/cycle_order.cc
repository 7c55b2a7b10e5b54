// The part of a cycle that finds which jobs are eligible, and in which order.
#include <algorithm>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/cycle.h"
#include "berth/engine/limits/reservation_access.h"
#include "berth/engine/state/job_ids.h"

namespace berth {

namespace {

constexpr std::size_t kRepricedAtOnce = 8192;

// Whether a change of what limits are counted on may change its blocking reason.
bool asks_limits(const PendingJob& pending) {
    return pending.blocking.reason == PendingReason::none || pending.blocking.by_limit;
}

// Whether its blocking reason is to be found again in each cycle.
bool is_listed(const PendingJob& pending) {
    return pending.watched ||
           (pending.blocking.reason != PendingReason::none && !asks_limits(pending));
}

// The QOS, if it limits all of its jobs together.
std::optional<QosId> limiting_qos(const QuotaTree& quota, QosId qos) {
    const QuotaLimits* const limits = quota.limits_of_qos(qos);
    return limits != nullptr && limits->limits_all() ? std::optional(qos) : std::nullopt;
}

}  // namespace

void CycleRun::find_feasibility(Kind& kind) const {
    if (kind.feasibility != Kind::Feasibility::unknown) return;
    // --switches=N@wait: the demand after the wait.
    const Demand& demand = kind.relaxed ? *kind.relaxed : kind.demand;
    if (could_run_when_free(demand, state(), preference_)) {
        kind.feasibility = Kind::Feasibility::fits;
    } else {
        kind.feasibility = could_ever_run(demand, preference_) ? Kind::Feasibility::not_now
                                                               : Kind::Feasibility::never;
    }
}

// Finds whether the job is eligible, and updates its record.
void CycleRun::check_eligibility(PendingJob& pending) {
    derived_.unwritten.push_back(pending.id);
    find_feasibility(*pending.shape->kind);
    const Job& job = *state().find_job(pending.id);
    pending.blocking =
        blocking_reason_of(state(), job, *pending.shape, derived_.running_tasks(job), now_);
    if (is_injected(InjectedFault::ignores_blocking_reasons)) ignore_blocking(pending.blocking);
    pending.watched = blocking_may_change(job);
    pending.takes_less =
        job.spec.time_min.has_value() || bounding_reservation(state(), job) != nullptr;
    if (job.het) check_component(pending, job);
    derived_.any_takes_less = derived_.any_takes_less || pending.takes_less;
    if (!pending.listed && is_listed(pending)) {
        pending.listed = true;
        derived_.pending.watch_list().push_back(pending.id);
    }
    if (state().quota().enforced() && !pending.limit_watched && asks_limits(pending)) {
        pending.limit_watched = true;
        derived_.pending.limit_watch().add(pending.id, state().quota().leaf_of(pending.id),
                                           limiting_qos(state().quota(), job.qos));
    }
    const PendingReason reason = pending.blocking.reason;
    if (reason == PendingReason::dependency_never_satisfied && !job.dependency_failed) {
        decide(DependencyFailed{pending.id});
    }
    const bool before_eligible = job.hold != Hold::none || reason == PendingReason::begin_time ||
                                 reason == PendingReason::dependency ||
                                 reason == PendingReason::dependency_never_satisfied;
    if (!job.eligible_at && !before_eligible) eligible_.push_back(pending.id);
    if (reason == PendingReason::none) return;
    pending.looked = pending.looked_ahead = false;
    if (pending.ordered) order().erase(pending);
    if (pending.component) return;
    if (const PlannedReservation* planned_start = book().planned_start(pending.id)) {
        book().note_releases(*planned_start);
        book().lift(pending.id);
    }
}

void CycleRun::write_eligible() {
    if (eligible_.empty()) return;
    put_in_order(eligible_);
    Fact fact = JobsEligible{std::exchange(eligible_, {})};
    state_.apply(now_, fact);
    result_.decisions.push_back(std::move(fact));
}

void CycleRun::settle_jobs() {
    std::vector<PendingJob*> entering;
    std::vector<JobId> checked;
    while (derived_.pending.any_unsettled()) {  // A decision about a job may unsettle it again.
        for (const JobId id : derived_.pending.take_unsettled()) {
            PendingJob* pending = derived_.pending.find(id);
            if (pending == nullptr || !pending->unsettled) continue;
            pending->unsettled = false;
            check_eligibility(*pending);
            checked.push_back(id);
        }
    }
    write_eligible();
    put_in_order(checked);
    for (const JobId id : checked) {
        PendingJob& pending = *derived_.pending.find(id);
        if (!pending.looked) derived_.unlooked.push_back(id);
        const std::int64_t priority =
            priority_of(state(), *state().find_job(id), derived_.policy, view_);
        pending.repriced = false;
        const OrderKey key = key_of(state(), pending, priority);
        if (pending.ordered && key == pending.key) continue;
        if (pending.ordered) order().erase(pending);
        pending.set_priority(priority);
        pending.key = key;
        if (pending.blocking.reason == PendingReason::none) entering.push_back(&pending);
    }
    order().insert(std::move(entering));
}

// Re-evaluates blocked, dependent and array jobs and those affected by changed limits; all jobs if
// nodes came or went.
void CycleRun::recheck_waiting() {
    PendingJobs& jobs = derived_.pending;
    if (std::exchange(derived_.feasibility_changed, false)) {
        for (const auto& [id, pending] : jobs.all()) jobs.unsettle(pending);
    }
    std::erase_if(jobs.watch_list(), [&](JobId id) {
        PendingJob* pending = jobs.find(id);
        if (pending == nullptr) return true;
        pending->listed = is_listed(*pending);
        if (pending->listed) jobs.unsettle(*pending);
        return !pending->listed;
    });
    recheck_limits();
    settle_jobs();
}

// Finds the blocking reason again of the jobs whose limits may allow more, or less, than before.
void CycleRun::recheck_limits() {
    const QuotaTree::News news = state_.take_quota_news();
    if (news.none()) return;
    PendingJobs& jobs = derived_.pending;
    const auto recheck = [&](PendingJob* pending) {
        if (pending == nullptr) return false;
        pending->limit_watched = asks_limits(*pending);
        if (pending->limit_watched) jobs.unsettle(*pending);
        return pending->limit_watched;
    };
    jobs.limit_watch().visit(
        news, [&](JobId id) { return recheck(jobs.find(id)); },
        [&](JobId id, QosId qos) {
            const Job* const job = state().find_job(id);
            const bool is_of_qos = job != nullptr && job->qos == qos;
            return recheck(is_of_qos ? jobs.find(id) : nullptr);
        });
}

// Ranks all pending jobs by the site's order rule, including those that are blocked.
void CycleRun::rerank() {
    const OrderRule* const rule = derived_.policy.order();
    if (rule == nullptr) return;
    derived_.refresh_services(state());
    std::vector<std::pair<const Job*, PendingJob*>> waiting;
    for (const auto& [id, pending] : derived_.pending.all()) {
        waiting.emplace_back(state().find_job(id), &pending);
    }
    std::ranges::stable_sort(waiting, {}, [](const auto& one) { return one.first->submitted_at; });
    std::vector<const Job*> ranked;
    ranked.reserve(waiting.size());
    for (const auto& [job, pending] : waiting) ranked.push_back(job);
    const std::vector<std::int64_t> ranks = rule->ranks(ranked, view_);
    BERTH_ASSERT(ranks.size() == waiting.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        waiting[i].second->key.rank = ranks[i];
    }
    order().resort();
}

// Recomputes priorities when a new period begins. A long queue takes several cycles, so that no
// cycle takes long.
void CycleRun::reprioritize() {
    const Time at = priority_time(state().spec(), now_);
    if (!derived_.repricing) {
        if (derived_.priorities_of == at) return;
        // At first, each priority was computed when its job was evaluated.
        const bool first = !derived_.priorities_of;
        derived_.priorities_of = at;
        if (first || derived_.policy.is_fifo()) return;
        derived_.repricing = DerivedState::Repricing{};
    }
    const bool is_long = derived_.repricing->next != JobId(0);
    if (!reprice_some(*derived_.repricing)) return;
    take_new_priorities(*derived_.repricing);
    derived_.repricing.reset();
    if (is_long) result_.complete = false;  // Enough for one cycle: the next one plans.
}

bool CycleRun::reprice_some(DerivedState::Repricing& under_way) {
    PendingJobs& jobs = derived_.pending;
    std::size_t left = kRepricedAtOnce;
    std::vector<JobOrder::Entry>& run = under_way.runs.emplace_back();
    const auto sort_run = [&] { std::ranges::sort(run, {}, &JobOrder::Entry::key); };
    for (auto at = jobs.all().from(under_way.next); at != jobs.all().end(); ++at) {
        const auto& [id, pending] = *at;
        if (left-- == 0) {
            under_way.next = id;
            sort_run();
            return false;
        }
        const std::int64_t priority =
            priority_of(state(), *state().find_job(id), derived_.policy, view_);
        if (priority == pending.priority()) continue;
        pending.repriced = true;
        under_way.moved.emplace_back(id, priority);
        if (!pending.ordered) continue;
        run.push_back({pending.key, &pending});
        run.back().key.priority = -priority;
    }
    sort_run();
    return true;
}

void CycleRun::take_new_priorities(DerivedState::Repricing& repricing) {
    JobSet moved;  // Of the jobs in the order.
    for (const auto& [id, priority] : repricing.moved) {
        PendingJob* pending = derived_.pending.find(id);
        if (pending == nullptr || !pending->repriced) continue;
        pending->repriced = false;
        pending->set_priority(priority);
        derived_.unwritten_later.push_back(id);
        if (pending->ordered) moved.insert(id);
    }
    if (moved.empty()) return;
    // An order rule also changes ranks, which the runs do not contain.
    if (derived_.policy.order() != nullptr) return order().resort();
    order().resort(std::move(repricing.runs), moved);
}

}  // namespace berth
