#include "berth/engine/state/cluster_state.h"

#include <algorithm>

namespace berth {

ClusterState::ClusterState() = default;

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
const std::set<std::pair<Time, JobId>>& ClusterState::finished_jobs() const {
    return index_.finished();
}
std::vector<JobId> ClusterState::jobs_on(NodeId node) const { return index_.on_node(node); }
std::vector<JobId> ClusterState::dependents(JobId job) const { return index_.dependents(job); }
std::vector<JobId> ClusterState::unfinished_of(std::uint32_t uid, std::string_view name) const {
    return index_.singletons(uid, name);
}

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

std::optional<JobId> ClusterState::find_request(std::string_view request_id) const {
    return index_.find_request(request_id);
}

const PastRequest* ClusterState::find_past_request(std::string_view request_id) const {
    return past_requests_.find(request_id);
}

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
