#include "berth/engine/cycle/eligibility.h"

#include <algorithm>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/feasibility.h"
#include "berth/engine/cycle/het_components.h"
#include "berth/engine/cycle/other_partitions.h"
#include "berth/engine/limits/reservation_access.h"
#include "berth/engine/state/job_ids.h"

namespace berth {

namespace {

using Ahead = BlockingReason::Ahead;

// Whether a change of what limits are counted on may change its blocking reason.
bool asks_limits(const PendingJob& pending) {
    return pending.blocking.reason == PendingReason::none || pending.blocking.by_limit;
}

// Whether its blocking reason is to be found again in each cycle.
bool is_listed(const PendingJob& pending) {
    return pending.watched || (pending.blocking.reason != PendingReason::none &&
                               !asks_limits(pending) && !pending.blocking.by_budget);
}

// Until something changes on which the job's limits are counted.
void watch_limits(const ClusterState& state, const Job& job, LimitWatch& watch) {
    watch.add(job.id, static_cast<QuotaTree::Index>(*state.usage_of(job)));
    for (const auto& [qos, limits] : state.quota().qos_limits(job.qos, job.partition).each) {
        if (limits != nullptr && limits->limits_all()) watch.add(job.id, qos);
    }
}

// Whether it is the job's own QOS or that of its partition.
bool is_of_qos(const ClusterState& state, const Job& job, QosId qos) {
    return job.qos == qos || state.quota().partition_qos(job.partition) == qos;
}

}  // namespace

void Eligibility::check(PendingJob& pending) {
    DerivedState& derived = cycle_.derived();
    const ClusterState& state = cycle_.state();
    derived.unwritten.add(pending.id);
    if (pending.names_several()) leave_shut_partition(cycle_, pending);
    find_feasibility(cycle_, *pending.shape->kind);
    const Job& job = *state.find_job(pending.id);
    derived.pending.ahead.set(pending, Ahead::no);
    pending.blocking = blocking_reason_of(state, job, *pending.shape, derived.budgets(),
                                          derived.running_tasks(job), cycle_.now());
    pending.watched = blocking_may_change(job);
    pending.takes_less =
        job.spec.time_min.has_value() || bounding_reservation(state, job) != nullptr;
    if (job.het) check_component(cycle_, pending, job);
    derived.pending.ahead.set(pending, may_wait_ahead(pending, job));
    if (pending.takes_less) derived.pending.note_takes_less();
    if (!pending.listed && is_listed(pending)) {
        pending.listed = true;
        derived.pending.watch_list().push_back(pending.id);
    }
    if (state.quota().enforced() && !pending.limit_watched && asks_limits(pending)) {
        pending.limit_watched = true;
        watch_limits(state, job, derived.pending.limit_watch());
    }
    const PendingReason reason = pending.blocking.reason;
    if (reason == PendingReason::dependency_never_satisfied && !job.dependency_failed) {
        cycle_.decide(DependencyFailed{pending.id});
    }
    const bool before_eligible = job.hold != Hold::none || reason == PendingReason::begin_time ||
                                 reason == PendingReason::dependency ||
                                 reason == PendingReason::dependency_never_satisfied;
    if (!job.eligible_at && !before_eligible) eligible_.push_back(pending.id);
    if (pending.is_open()) return;
    pending.looked = pending.looked_ahead = false;
    if (pending.names_several()) forget_searches(derived.pending.others.at(pending.id));
    if (pending.ordered) cycle_.order().erase(pending);
    if (pending.is_component()) return;
    if (const PlannedReservation* planned_start = cycle_.book().planned_start(pending.id)) {
        cycle_.book().note_releases(*planned_start);
        cycle_.book().lift(pending.id);
    }
}

BlockingReason::Ahead Eligibility::may_wait_ahead(const PendingJob& pending, const Job& job) const {
    const ClusterState& state = cycle_.state();
    DerivedState& derived = cycle_.derived();
    Kind& kind = *pending.shape->kind;
    const bool may_plan =
        cycle_.scheduling().backfill && !pending.is_component() && !kind.depends_on_running;
    if (!pending.blocking.by_limit || !may_plan) return Ahead::no;
    if (derived.pending.ahead.of(Ahead::yes) >= ahead_most(cycle_.scheduling()))
        return Ahead::unasked;
    const auto reasons = blocking_reasons_of(state, job, *pending.shape, derived.budgets(),
                                             derived.running_tasks(job), cycle_.now());
    const bool waits = reasons.size() == 1 &&
                       may_start_alone(state, job, kind.demand, limit_request_of(state, job, kind));
    return waits ? Ahead::yes : Ahead::no;
}

// Where many jobs wait for limits, the first of them in the order wait ahead, then the next ones.
void Eligibility::plan_more_ahead() {
    PendingJobs& jobs = cycle_.derived().pending;
    const std::size_t most = ahead_most(cycle_.scheduling());
    if (jobs.ahead.of(Ahead::unasked) == 0 || jobs.ahead.of(Ahead::yes) > most / 2) return;
    std::vector<PendingJob*> unasked;
    for (const auto& [id, pending] : jobs.all()) {
        if (pending.blocking.ahead == Ahead::unasked) unasked.push_back(&pending);
    }
    std::ranges::sort(unasked, {},
                      [](const PendingJob* job) -> const OrderKey& { return job->key; });
    auto next = unasked.begin();
    while (next != unasked.end() && jobs.ahead.of(Ahead::yes) < most) {
        for (std::size_t room = most - jobs.ahead.of(Ahead::yes); room > 0 && next != unasked.end();
             --room, ++next)
            jobs.unsettle(**next);
        settle_jobs();
    }
}

void Eligibility::write_eligible() {
    if (eligible_.empty()) return;
    put_in_order(eligible_);
    cycle_.record(JobsEligible{std::exchange(eligible_, {})});
}

// Until other queues leave it another amount. A change of its own queue's right concerns all jobs
// there.
void Eligibility::watch_pools(const PendingJob& pending, const Job& job) {
    if (!asks_limits(pending)) return;
    cycle_.derived().pending.limit_watch().add_beyond_right(
        pending.id, static_cast<QuotaTree::Index>(*cycle_.state().usage_of(job)));
}

void Eligibility::settle_jobs() {
    DerivedState& derived = cycle_.derived();
    const ClusterState& state = cycle_.state();
    PendingJobs& jobs = derived.pending;
    std::vector<PendingJob*> entering;
    std::vector<JobId> checked;
    while (jobs.any_unsettled()) {  // A decision about a job may unsettle it again.
        for (const JobId id : jobs.take_unsettled()) {
            PendingJob* pending = jobs.find(id);
            if (pending == nullptr || !pending->unsettled) continue;
            pending->unsettled = false;
            check(*pending);
            checked.push_back(id);
        }
    }
    write_eligible();
    put_in_order(checked);
    for (const JobId id : checked) {
        PendingJob& pending = *jobs.find(id);
        if (!pending.looked) jobs.add_unlooked(id);
        const std::int64_t priority =
            priority_of(state, *state.find_job(id), derived.policy, cycle_.view());
        pending.repriced = false;
        const Job& job = *state.find_job(id);
        const QuotaStanding standing = quota_standing_of(state, job, *pending.shape->kind);
        if (standing == QuotaStanding::beyond_right) watch_pools(pending, job);
        const std::int32_t rank =
            derived.preemptions.rules.rank(job.qos, standing == QuotaStanding::by_right);
        const OrderKey key = key_of(state, pending, priority, rank);
        if (pending.ordered && key == pending.key) continue;
        if (pending.ordered) cycle_.order().erase(pending);
        pending.set_priority(priority);
        pending.key = key;
        if (pending.is_open()) entering.push_back(&pending);
    }
    cycle_.order().insert(std::move(entering));
}

void Eligibility::recheck_waiting() {
    PendingJobs& jobs = cycle_.derived().pending;
    if (jobs.take_feasibility_changed()) {
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
    plan_more_ahead();
}

// Whether no limit keeps it from starting, now as before. With quotas, its place in the order may
// be another.
bool Eligibility::stays_open(const PendingJob& pending) const {
    const ClusterState& state = cycle_.state();
    return pending.blocking.reason == PendingReason::none && !pending.is_component() &&
           state.quota().queues().tres().empty() &&
           limit_reason_of(state, *state.find_job(pending.id), *pending.shape->kind).reason ==
               PendingReason::none;
}

void Eligibility::recheck_below(const BitSet& leaves) {
    PendingJobs& jobs = cycle_.derived().pending;
    for (const auto& [id, pending] : jobs.all()) {
        const std::optional<std::size_t> leaf = pending.usage();
        if (!leaf || (*leaf < leaves.size() && leaves.test(*leaf))) jobs.unsettle(pending);
    }
}

// Finds the blocking reason again of the jobs whose limits may allow more, or less, than before.
void Eligibility::recheck_limits() {
    const QuotaTree::News news = cycle_.mutable_state().take_quota_news();
    if (news.none()) return;
    PendingJobs& jobs = cycle_.derived().pending;
    if (news.all) {  // All are watched anew, too.
        jobs.limit_watch().clear();
        for (const auto& [id, pending] : jobs.all()) {
            pending.limit_watched = false;
            jobs.unsettle(pending);
        }
        return;
    }
    const auto recheck = [&](PendingJob* pending) {
        if (pending == nullptr) return false;
        pending->limit_watched = asks_limits(*pending);
        if (pending->limit_watched && !stays_open(*pending)) jobs.unsettle(*pending);
        return pending->limit_watched;
    };
    const auto recheck_beyond_right = [&](JobId id) {
        PendingJob* const pending = jobs.find(id);
        if (pending != nullptr && asks_limits(*pending)) jobs.unsettle(*pending);
    };
    jobs.limit_watch().visit(
        news, [&](JobId id) { return recheck(jobs.find(id)); }, recheck_beyond_right,
        [&](JobId id, QosId qos) {
            const Job* const job = cycle_.state().find_job(id);
            const bool concerned = job != nullptr && is_of_qos(cycle_.state(), *job, qos);
            return recheck(concerned ? jobs.find(id) : nullptr);
        });
}

}  // namespace berth
