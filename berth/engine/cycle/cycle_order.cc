// The part of a cycle that finds out who is to be looked at, and in which order.
#include <algorithm>

#include "berth/engine/cycle/cycle.h"
#include "berth/engine/cycle/cycle_gates.h"
#include "berth/engine/cycle/limit_news.h"
#include "berth/engine/limits/reservation_access.h"
#include "berth/engine/state/job_ids.h"

namespace berth {

namespace {

constexpr std::size_t kRepricedAtOnce = 8192;

// Whether its gate may open or shut though nothing happens to it.
bool is_listed(const PendingJob& pending) {
    return pending.watched || pending.limited || pending.gate.reason != PendingReason::none;
}

}  // namespace

void CycleRun::find_chance(Kind& kind) const {
    if (kind.chance != Kind::Chance::unknown) return;
    // --switches=N@wait: what it will take once it has waited.
    const Demand& demand = kind.relaxed ? *kind.relaxed : kind.demand;
    if (could_run_when_free(demand, state(), taste_)) {
        kind.chance = Kind::Chance::fits;
    } else {
        kind.chance = could_ever_run(demand, taste_) ? Kind::Chance::not_now : Kind::Chance::never;
    }
}

// No list of thousands of users is gone through for each job.
const LimitHolders* CycleRun::limit_holders() {
    if (!state().has_limits()) return nullptr;
    if (!limit_holders_) limit_holders_.emplace(state().spec());
    return &*limit_holders_;
}

// Whether the job is to be looked at, and what follows for the record of it.
void CycleRun::judge(PendingJob& pending) {
    outlook_.unwritten.push_back(pending.id);
    find_chance(*pending.shape->kind);
    const Job& job = *state().find_job(pending.id);
    pending.gate =
        gate_of(state(), job, *pending.shape, outlook_.running_tasks(job), now_, limit_holders());
    if (is_planted(PlantedBug::opens_gates)) open_gate(pending.gate);
    pending.watched = gate_may_change(job);
    pending.limited = state().has_limits();
    pending.takes_less =
        job.spec.time_min.has_value() || bounding_reservation(state(), job) != nullptr;
    if (job.het) judge_component(pending, job);
    outlook_.any_takes_less = outlook_.any_takes_less || pending.takes_less;
    if (!pending.listed && is_listed(pending)) {
        pending.listed = true;
        outlook_.pending.watch_list().push_back(pending.id);
    }
    const PendingReason reason = pending.gate.reason;
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
    if (const Booking* promise = book().promise(pending.id)) {
        book().note_releases(*promise);
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
    std::vector<JobId> judged;
    while (outlook_.pending.any_unsettled()) {  // What is decided about one may unsettle it again.
        for (const JobId id : outlook_.pending.take_unsettled()) {
            PendingJob* pending = outlook_.pending.find(id);
            if (pending == nullptr || !pending->unsettled) continue;
            pending->unsettled = false;
            judge(*pending);
            judged.push_back(id);
        }
    }
    write_eligible();
    put_in_order(judged);
    for (const JobId id : judged) {
        PendingJob& pending = *outlook_.pending.find(id);
        if (!pending.looked) outlook_.unlooked.push_back(id);
        const std::int64_t priority =
            priority_of(state(), *state().find_job(id), outlook_.policy, view_);
        pending.repriced = false;
        const OrderKey key = key_of(state(), pending, priority);
        if (pending.ordered && key == pending.key) continue;
        if (pending.ordered) order().erase(pending);
        pending.set_priority(priority);
        pending.key = key;
        if (pending.gate.reason == PendingReason::none) entering.push_back(&pending);
    }
    order().insert(std::move(entering));
}

// Held, dependent and array jobs; who is concerned by what limits have to say; all of them, where
// nodes came or went.
void CycleRun::rejudge_waiting() {
    PendingJobs& jobs = outlook_.pending;
    if (std::exchange(outlook_.chances_changed, false)) {
        for (const auto& [id, pending] : jobs.all()) jobs.unsettle(pending);
    }
    const LimitNews news(state(), state_.take_changed_uses());
    std::erase_if(jobs.watch_list(), [&](JobId id) {
        PendingJob* pending = jobs.find(id);
        if (pending == nullptr) return true;
        pending->listed = is_listed(*pending);
        const bool is_shut = pending->gate.reason != PendingReason::none;
        const bool asks_limits = pending->limited && (!is_shut || pending->gate.by_limit);
        if (pending->watched || (is_shut && !asks_limits) ||
            (asks_limits && news.concerns(*pending))) {
            jobs.unsettle(*pending);
        }
        return !pending->listed;
    });
    settle_jobs();
}

// By the site's rule of order: all that wait are ranked together, also those whose gate is shut
// just now.
void CycleRun::rerank() {
    const OrderRule* const rule = outlook_.policy.order();
    if (rule == nullptr) return;
    outlook_.refresh_services(state());
    std::vector<std::pair<const Job*, PendingJob*>> waiting;
    for (const auto& [id, pending] : outlook_.pending.all()) {
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

// When a minute has begun. A long queue takes several cycles, so that none is long.
void CycleRun::reprioritize() {
    const Time at = priority_time(state().spec(), now_);
    if (!outlook_.repricing) {
        if (outlook_.priorities_of == at) return;
        const bool first = !outlook_.priorities_of;  // All were worked out when they were judged.
        outlook_.priorities_of = at;
        if (first || outlook_.policy.is_fifo()) return;
        outlook_.repricing = Outlook::Repricing{};
    }
    const bool is_long = outlook_.repricing->next != JobId(0);
    if (!reprice_some(*outlook_.repricing)) return;
    take_new_priorities(*outlook_.repricing);
    outlook_.repricing.reset();
    if (is_long) result_.complete = false;  // Enough for one cycle: the next one sees to the plan.
}

bool CycleRun::reprice_some(Outlook::Repricing& under_way) {
    PendingJobs& jobs = outlook_.pending;
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
            priority_of(state(), *state().find_job(id), outlook_.policy, view_);
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

void CycleRun::take_new_priorities(Outlook::Repricing& repricing) {
    JobSet moved;  // Within the order.
    for (const auto& [id, priority] : repricing.moved) {
        PendingJob* pending = outlook_.pending.find(id);
        if (pending == nullptr || !pending->repriced) continue;
        pending->repriced = false;
        pending->set_priority(priority);
        outlook_.unwritten_later.push_back(id);
        if (pending->ordered) moved.insert(id);
    }
    if (moved.empty()) return;
    // A rule of order changes the ranks, too, which the runs do not know.
    if (outlook_.policy.order() != nullptr) return order().resort();
    order().resort(std::move(repricing.runs), moved);
}

}  // namespace berth
