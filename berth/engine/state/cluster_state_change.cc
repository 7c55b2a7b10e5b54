#include "berth/engine/state/cluster_state_change.h"

#include <algorithm>

namespace berth {

void ClusterState::set_reason(JobId id, PendingReason reason, SharedText detail) {
    if (this->reason(id) == reason && reason_detail(id) == detail) return;
    change_standing(id, [&](Standing& standing) {
        standing.reason = reason;
        standing.detail = std::move(detail);
    });
}

void ClusterState::set_priority(JobId id, std::int64_t priority) {
    const Standing* const known = standings_.find(id);
    if ((known == nullptr ? 0 : known->priority) == priority) return;
    change_standing(id, [&](Standing& standing) { standing.priority = priority; });
}

ClusterState::Touched ClusterState::take_touched() {
    BERTH_ASSERT(!undo_.recording());
    return touches_.take(jobs_);
}

void ClusterState::touch(JobId id) { touches_.add(id, undo_); }
void ClusterState::touch(NodeId id) { touches_.add(id, undo_); }

void ClusterState::remember_job(JobId id) {
    if (!undo_.recording()) return;
    const Job* job = find_job(id);
    undo_.record(JobBefore{id, job == nullptr ? nullptr : std::make_shared<const Job>(*job)});
}

void ClusterState::insert_job(Job job) {
    const JobId id = job.id;
    remember_job(id);
    BERTH_ASSERT(!jobs_.contains(id));
    add_to_indexes(jobs_.put(std::move(job)));
    touch(id);
}

void ClusterState::erase_job(JobId id) {
    BERTH_ASSERT(jobs_.contains(id));
    remember_job(id);
    remove_from_indexes(jobs_.at(id));
    if (standings_.contains(id)) {
        change_standing(id, [](Standing&) {});  // For the undo log.
        standings_.erase(id);
    }
    set_preemptor_hold(id, std::nullopt);
    jobs_.erase(id);
    touch(id);
}

void ClusterState::set_preemptor_hold(JobId id, std::optional<Time> until) {
    const auto known = holds_.find(id);
    if (known == holds_.end() && !until) return;
    if (undo_.recording()) {
        undo_.record(
            HoldBefore{id, known == holds_.end() ? std::nullopt : std::optional(known->second)});
    }
    if (until) {
        holds_.insert_or_assign(id, *until);
    } else {
        holds_.erase(known);
    }
}

void ClusterState::set_planned(JobId id, std::optional<PlannedStart> planned) {
    const PlannedStart* before = this->planned(id);
    if (before == nullptr && !planned) return;
    if (undo_.recording()) {
        undo_.record(PlanBefore{
            id, before == nullptr ? nullptr : std::make_shared<const PlannedStart>(*before)});
    }
    if (planned) {
        planned_[id] = *std::move(planned);
    } else {
        planned_.erase(id);
    }
    touch(id);
}

void ClusterState::set_counters(Epoch epoch, JobId next_job_id) {
    if (undo_.recording()) undo_.record(CountersBefore{epoch_, next_job_id_});
    epoch_ = epoch;
    next_job_id_ = next_job_id;
}

void ClusterState::take_share(const NodeShare& share) {
    NodeFree& free = free_[share.node.index()];
    BERTH_ASSERT(fits(share.amount, free.amount) && share.cores.is_subset_of(free.cores) &&
                 (share.whole_devices() & ~free.devices) == 0);
    BERTH_ASSERT(!share.device_share ||
                 has_room_for(spec_.node(share.node), free, *share.device_share));
    if (undo_.recording()) {
        undo_.record(FreeBefore{share.node, std::make_shared<const NodeFree>(free)});
    }
    subtract(free, share, spec_.node(share.node));
    touch(share.node);
}

void ClusterState::give_back_share(const NodeShare& share) {
    NodeFree& free = free_[share.node.index()];
    if (undo_.recording()) {
        undo_.record(FreeBefore{share.node, std::make_shared<const NodeFree>(free)});
    }
    give_back(free, share, spec_.node(share.node));
    touch(share.node);
}

void ClusterState::remember_all_nodes() {
    if (!undo_.recording()) return;
    undo_.record(NodesBefore{std::make_shared<const std::vector<NodeCondition>>(conditions_),
                             std::make_shared<const std::vector<NodeFree>>(free_)});
}

void ClusterState::recompute_free() {
    free_.clear();
    for (const NodeSpec& node : spec_.nodes) free_.push_back(all_free(node));
    for (const JobId id : index_.holding()) {
        for (const NodeShare& share : jobs_.at(id).allocation->shares) {
            subtract(free_[share.node.index()], share, spec_.node(share.node));
        }
    }
    for (std::size_t n = 0; n < free_.size(); ++n) {
        drain(free_[n], conditions_[n].drained_mask(), spec_.nodes[n]);
    }
}

// Computes the free resources of one node from scratch.
NodeFree ClusterState::free_of(NodeId node) const {
    NodeFree free = all_free(spec_.node(node));
    for (const JobId id : jobs_on(node)) {
        for (const NodeShare& share : jobs_.at(id).allocation->shares) {
            if (share.node == node) subtract(free, share, spec_.node(node));
        }
    }
    drain(free, condition(node).drained_mask(), spec_.node(node));
    return free;
}

// Ids wrap around at max_job_id and skip those still in use.
JobId ClusterState::id_after(JobId id) const {
    const SchedulingSpec& scheduling = spec_.scheduling;
    BERTH_ASSERT(scheduling.max_job_id >= scheduling.first_job_id);
    BERTH_ASSERT(jobs_.size() < scheduling.max_job_id - scheduling.first_job_id);
    std::uint32_t next = id.value();
    do {
        ++next;
        if (next > scheduling.max_job_id) next = scheduling.first_job_id;
    } while (jobs_.contains(JobId(next)));
    return JobId(next);
}

}  // namespace berth
