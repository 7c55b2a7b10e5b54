#include "berth/engine/state/schedule.h"

namespace berth {
namespace {

template <class Value>
void restore(JobTable<Value>& table, JobId job, const std::shared_ptr<const Value>& before) {
    if (before == nullptr) {
        table.erase(job);
    } else {
        table[job] = *before;
    }
}

template <class Value>
std::shared_ptr<const Value> copy_of(const Value* value) {
    return value == nullptr ? nullptr : std::make_shared<const Value>(*value);
}

}  // namespace

PendingReason Schedule::reason(JobId job) const {
    const Standing* const standing = standings_.find(job);
    return standing == nullptr ? PendingReason::none : standing->reason;
}

std::string_view Schedule::reason_detail(JobId job) const {
    const Standing* const standing = standings_.find(job);
    return standing == nullptr ? std::string_view() : std::string_view(standing->detail);
}

std::optional<std::int64_t> Schedule::priority(JobId job) const {
    const Standing* const standing = standings_.find(job);
    return standing == nullptr ? std::nullopt : std::optional(standing->priority);
}

bool Schedule::set_planned(JobId job, std::optional<PlannedStart> planned, UndoLog& undo) {
    const PlannedStart* const before = this->planned(job);
    if (before == nullptr && !planned) return false;
    if (undo.recording()) undo.record(PlanBefore{job, copy_of(before)});
    if (planned) {
        planned_[job] = *std::move(planned);
    } else {
        planned_.erase(job);
    }
    return true;
}

bool Schedule::set_reason(JobId job, PendingReason reason, SharedText detail, UndoLog& undo) {
    if (this->reason(job) == reason && reason_detail(job) == detail) return false;
    remember_standing(job, undo);
    Standing& standing = standings_[job];
    standing.reason = reason;
    standing.detail = std::move(detail);
    return true;
}

bool Schedule::set_priority(JobId job, std::int64_t priority, UndoLog& undo) {
    if (this->priority(job).value_or(0) == priority) return false;
    remember_standing(job, undo);
    standings_[job].priority = priority;
    return true;
}

void Schedule::set_preemptor_hold(JobId job, std::optional<Time> until, UndoLog& undo) {
    const auto known = holds_.find(job);
    if (known == holds_.end() && !until) return;
    if (undo.recording()) {
        undo.record(
            HoldBefore{job, known == holds_.end() ? std::nullopt : std::optional(known->second)});
    }
    if (until) {
        holds_.insert_or_assign(job, *until);
    } else {
        holds_.erase(known);
    }
}

void Schedule::set_preemptor_rest(JobId job, std::optional<PreemptorRest> rest, UndoLog& undo) {
    const auto known = rests_.find(job);
    if (known == rests_.end() && !rest) return;
    if (undo.recording()) {
        undo.record(
            RestBefore{job, known == rests_.end() ? std::nullopt : std::optional(known->second)});
    }
    if (rest) {
        rests_.insert_or_assign(job, *rest);
    } else {
        rests_.erase(known);
    }
}

void Schedule::forget(JobId job, UndoLog& undo) {
    BERTH_ASSERT(planned(job) == nullptr);
    if (standings_.contains(job)) {
        remember_standing(job, undo);
        standings_.erase(job);
    }
    set_preemptor_hold(job, std::nullopt, undo);
    set_preemptor_rest(job, std::nullopt, undo);
}

void Schedule::remember_standing(JobId job, UndoLog& undo) const {
    if (undo.recording()) undo.record(StandingBefore{job, copy_of(standings_.find(job))});
}

void Schedule::undo(const PlanBefore& was) { restore(planned_, was.id, was.planned); }
void Schedule::undo(const StandingBefore& was) { restore(standings_, was.id, was.standing); }
void Schedule::undo(const HoldBefore& was) {
    holds_.erase(was.id);
    if (was.until) holds_.emplace(was.id, *was.until);
}

void Schedule::undo(const RestBefore& was) {
    rests_.erase(was.id);
    if (was.rest) rests_.emplace(was.id, *was.rest);
}

void Schedule::check(const JobRecords& jobs) const {
    for (const auto& [id, planned] : planned_) {
        const Job* const job = jobs.find(id);
        BERTH_ASSERT(job != nullptr && job->state == JobState::pending);
        BERTH_ASSERT(job->hold == Hold::none && planned.start <= planned.end);
        BERTH_ASSERT(!planned.amounts.empty());
    }
    for (const auto& [id, standing] : standings_) BERTH_ASSERT(jobs.contains(id));
    for (const auto& [id, until] : holds_) BERTH_ASSERT(jobs.contains(id));
    for (const auto& [id, rest] : rests_) BERTH_ASSERT(jobs.contains(id));
}

}  // namespace berth
