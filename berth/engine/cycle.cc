#include "berth/engine/cycle.h"

#include <algorithm>

#include "berth/engine/cycle_gates.h"

namespace berth {

Duration promise_slack(const SchedulingSpec& scheduling) { return scheduling.kill_wait * 2; }

CycleRun::CycleRun(Engine& engine, Outlook& outlook, Time now, std::uint32_t budget)
    : engine_(engine),
      outlook_(outlook),
      now_(now),
      budget_(budget),
      view_(engine.state(), outlook, priority_time(engine.state().spec(), now)),
      taste_{outlook.policy, view_} {}

void CycleRun::decide(Fact fact) {
    engine_.apply(now_, fact);
    result_.decisions.push_back(std::move(fact));
}

bool CycleRun::spend() {
    if (budget_ == 0) {
        result_.complete = false;
        return false;
    }
    --budget_;
    return true;
}

Cycle CycleRun::run() {
    end_overdue();
    close_gates();
    outlook_.refresh_services(state());
    outlook_.fair_shares.refresh(state(), outlook_.policy, view_.now());
    order_ = in_order(state(), outlook_.pending, outlook_.policy, view_);
    repair();
    pass();
    write_promises();
    write_reasons();
    prioritize_running();
    outlook_.changed = !result_.complete;
    result_.wake_at = outlook_.wake_at = next_wake();
    return std::move(result_);
}

void CycleRun::end_overdue() {
    const Duration longer = std::max<Duration>(scheduling().kill_wait, std::chrono::seconds(1));
    for (const JobId id : outlook_.book.extend_overdue(now_, longer)) {
        const Job& job = *state().find_job(id);
        if (job.state != JobState::running) continue;
        decide(EndJob{.job = id, .outcome = JobState::timeout, .reason = "TimeLimit"});
    }
}

void CycleRun::find_chance(Shape& shape) const {
    if (shape.chance != Shape::Chance::unknown) return;
    if (could_run_when_free(shape.demand, state(), taste_)) {
        shape.chance = Shape::Chance::fits;
    } else {
        shape.chance =
            could_ever_run(shape.demand, taste_) ? Shape::Chance::not_now : Shape::Chance::never;
    }
}

// Whether the job is to be looked at, and what follows for the record of it.
void CycleRun::judge(PendingJob& pending) {
    find_chance(*pending.shape);
    const Job& job = *state().find_job(pending.id);
    pending.gate = gate_of(state(), job, *pending.shape, outlook_.running_tasks(job), now_);
    const PendingReason reason = pending.gate.reason;
    if (reason == PendingReason::dependency_never_satisfied && !job.dependency_failed) {
        decide(DependencyFailed{pending.id});
    }
    const bool before_eligible = job.hold != Hold::none || reason == PendingReason::begin_time ||
                                 reason == PendingReason::dependency ||
                                 reason == PendingReason::dependency_never_satisfied;
    if (!job.eligible_at && !before_eligible) decide(JobEligible{pending.id});
    if (reason == PendingReason::none) return;
    pending.checked_at = 0;
    if (const Booking* promise = outlook_.book.promise(pending.id)) {
        outlook_.book.note_releases(*promise);
        outlook_.book.lift(pending.id);
    }
}

void CycleRun::close_gates() {
    std::vector<JobId> jobs;  // What is decided about one may change the map.
    for (const auto& [id, pending] : outlook_.pending.all()) jobs.push_back(id);
    for (const JobId id : jobs) judge(*outlook_.pending.find(id));
}

// What was booked and lifted on the way is of no interest; what came of it is.
void CycleRun::write_promises() {
    std::vector<Fact> facts;
    for (const auto& [id, planned] : state().plan()) {
        if (outlook_.book.promise(id) == nullptr) facts.push_back(PlanJob{id, std::nullopt});
    }
    for (const auto& [id, promise] : outlook_.book.promises()) {
        const PlannedStart planned{promise.start, promise.end, promise.amounts};
        const PlannedStart* known = state().planned(id);
        if (known == nullptr || *known != planned) facts.push_back(PlanJob{id, planned});
    }
    for (Fact& fact : facts) decide(std::move(fact));
}

// The first of a partition that only lacks resources waits for these; those behind wait for it.
void CycleRun::write_reasons() {
    ClusterState& written = engine_.mutable_state();
    const auto write = [&](const PendingJob& pending, PendingReason reason) {
        if (state().reason(pending.id) != reason ||
            state().reason_detail(pending.id) != pending.gate.detail) {
            written.set_reason(pending.id, reason, pending.gate.detail);
        }
        if (state().priority(pending.id) != pending.priority) {
            written.set_priority(pending.id, pending.priority);
        }
    };
    for (const auto& [id, pending] : outlook_.pending.all()) {
        if (pending.gate.reason != PendingReason::none) write(pending, pending.gate.reason);
    }
    std::set<PartitionId> seen;
    for (const PendingJob* pending : order_) {
        if (pending == nullptr || pending->gate.reason != PendingReason::none) continue;
        const bool first = seen.insert(pending->partition).second;
        write(*pending, first ? PendingReason::resources : PendingReason::priority);
    }
}

// Slurm's CALCULATE_RUNNING. It decides nothing here; readers see it.
void CycleRun::prioritize_running() {
    if (!scheduling().prioritize_running) return;
    for (const JobId id : state().holding_jobs()) {
        const Job& job = *state().find_job(id);
        if (job.state != JobState::running) continue;
        const std::int64_t priority = outlook_.policy.priority(job, view_);
        if (state().priority(id) != priority) engine_.mutable_state().set_priority(id, priority);
    }
}

std::optional<Time> CycleRun::next_wake() const {
    std::optional<Time> wake = outlook_.book.next_end();
    const auto no_later_than = [&](Time at) {
        if (at > now_ && (!wake || at < *wake)) wake = at;
    };
    for (const auto& [id, pending] : outlook_.pending.all()) {
        if (pending.gate.until) no_later_than(*pending.gate.until);
    }
    for (const auto& [id, promise] : outlook_.book.promises()) {
        if (promise.start > now_) {
            no_later_than(promise.start);
        } else if (const PendingJob* job =
                       outlook_.pending.find(id)) {  // When its slack is used up.
            no_later_than(promise.end - job->shape->length + Duration(1));
        }
    }
    return wake;
}

}  // namespace berth
