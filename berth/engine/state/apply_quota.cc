// How the quota tree follows the jobs and the configuration.
#include "berth/engine/state/cluster_state_change.h"

namespace berth {

void ClusterState::add_to_indexes(const Job& job) {
    index_.add(job);
    if (!quota_.enforced()) return;
    if (is_final(job.state)) return quota_.forget(job.id);
    const QuotaTree::Index known = quota_.leaf_of(job.id);
    quota_.add(job, known != QuotaTree::kNone ? known : leaf_of(job));
}

void ClusterState::remove_from_indexes(const Job& job) {
    index_.remove(job);
    if (quota_.enforced() && !is_final(job.state)) quota_.remove(job);
}

// By name. Each job that was submitted has a usage record.
QuotaTree::Index ClusterState::leaf_of(const Job& job) const {
    const auto record = usage_of(job);
    BERTH_ASSERT(record.has_value());
    return static_cast<QuotaTree::Index>(*record);
}

// The tree of this configuration, with all jobs.
QuotaTree ClusterState::quota_from_scratch() const {
    QuotaTree tree;
    tree.rebuild(spec_);
    if (!tree.enforced()) return tree;
    for (const UsageRecord& record : usage_) tree.add_leaf(record.account, record.user);
    for (const auto& [id, job] : jobs_) {
        if (!is_final(job.state)) tree.add(job, leaf_of(job));
    }
    return tree;
}

// Call it when the configuration has changed.
void ClusterState::rebuild_quota() { quota_ = quota_from_scratch(); }

void ClusterState::check_quota() const { BERTH_ASSERT(quota_.counts_as(quota_from_scratch())); }

}  // namespace berth
