#include "berth/engine/state/cluster_state.h"

#include <algorithm>

namespace berth {

ClusterState::ClusterState() = default;

ClusterState::ClusterState(DurableState durable)
    : spec_(std::move(durable.spec)),
      epoch_(durable.epoch),
      next_job_id_(durable.next_job_id),
      conditions_(std::move(durable.conditions)),
      jobs_(std::move(durable.jobs)),
      planned_(std::move(durable.planned)),
      past_requests_(std::move(durable.past_requests)),
      usage_(std::move(durable.usage)),
      run_history_(std::move(durable.run_history)),
      reservations_(std::move(durable.reservations)),
      edits_(std::move(durable.edits)),
      cluster_edits_(std::move(durable.cluster_edits)),
      holds_(std::move(durable.holds)),
      parts_(std::move(durable.parts)) {
    for (const auto& [id, job] : jobs_) index_.add(job);
    recompute_free();
    for (const auto& [id, job] : jobs_) {  // Older snapshots had no usage.
        if (is_final(job.state)) continue;
        usage_index(job.started_at.value_or(Time{}), job.spec.account, job.owner->user);
    }
    usage_.set_rates(rates_from_scratch());
    rebuild_quota();
    touches_ = {};
    touches_.spec = touches_.all = touches_.reservations = true;
}

const ClusterSpec& ClusterState::spec() const { return spec_; }
Epoch ClusterState::epoch() const { return epoch_; }
JobId ClusterState::next_job_id() const { return next_job_id_; }
const JobRecords& ClusterState::jobs() const { return jobs_; }
const JobTable<PlannedStart>& ClusterState::plan() const { return planned_; }
const std::map<std::string, Reservation, std::less<>>& ClusterState::reservations() const {
    return reservations_;
}
const AccountingEdits& ClusterState::accounting_edits() const { return edits_; }
const ClusterEdits& ClusterState::cluster_edits() const { return cluster_edits_; }
const Reservation* ClusterState::find_reservation(std::string_view name) const {
    const auto at = reservations_.find(name);
    return at == reservations_.end() ? nullptr : &at->second;
}
const JobSet& ClusterState::pending_jobs() const { return index_.pending(); }
const JobSet& ClusterState::holding_jobs() const { return index_.holding(); }
std::vector<JobId> ClusterState::jobs_on(NodeId node) const { return index_.on_node(node); }

const NodeCondition& ClusterState::condition(NodeId node) const {
    BERTH_ASSERT(node.index() < conditions_.size());
    return conditions_[node.index()];
}

const NodeFree& ClusterState::free(NodeId node) const {
    BERTH_ASSERT(node.index() < free_.size());
    return free_[node.index()];
}

const Job* ClusterState::find_job(JobId id) const { return jobs_.find(id); }

const PlannedStart* ClusterState::planned(JobId id) const { return planned_.find(id); }

std::vector<JobId> ClusterState::array_members(JobId array) const {
    std::vector<JobId> members = index_.array_tasks(array);
    const Job* record = find_job(array);
    if (record != nullptr && (record->spec.array || record->array_job == array)) {
        members.push_back(array);
        std::inplace_merge(members.begin(), members.end() - 1, members.end());
    }
    return members;
}

PendingReason ClusterState::reason(JobId id) const {
    const Standing* const standing = standings_.find(id);
    return standing == nullptr ? PendingReason::none : standing->reason;
}

std::string_view ClusterState::reason_detail(JobId id) const {
    const Standing* const standing = standings_.find(id);
    return standing == nullptr ? std::string_view() : std::string_view(standing->detail);
}

// A running job has the priority with which it started, unless priorities of running jobs are
// computed, too.
std::int64_t ClusterState::priority(JobId id) const {
    const Job* const job = find_job(id);
    const Standing* const standing = standings_.find(id);
    const bool still_moves = spec_.scheduling.prioritize_running && standing != nullptr &&
                             job != nullptr && job->state == JobState::running;
    if (job != nullptr && job->state != JobState::pending && !still_moves) {
        return job->start_priority;
    }
    return standing == nullptr ? 0 : standing->priority;
}

}  // namespace berth
