// How the quota tree follows the jobs and the configuration.
#include "berth/engine/state/cluster_state_change.h"

namespace berth {

void ClusterState::add_to_indexes(const Job& job) {
    index_.add(job);
    if (!quota_.enforced()) return;
    if (is_final(job.state)) return quota_.forget(job.id);
    quota_.add(job, leaf_of(job));
}

void ClusterState::remove_from_indexes(const Job& job) {
    index_.remove(job);
    if (quota_.enforced() && !is_final(job.state)) quota_.remove(job, leaf_of(job));
}

// Found by name once. Each job that was submitted has a usage record, and leaves have their
// numbers.
QuotaTree::Index ClusterState::leaf_of(const Job& job) {
    if (const QuotaTree::Index* const known = leaves_.find(job.id)) return *known;
    return leaves_[job.id] = leaf_by_name(job);
}

QuotaTree::Index ClusterState::leaf_by_name(const Job& job) const {
    const auto record = usage_.of(job);
    BERTH_ASSERT(record.has_value());
    return static_cast<QuotaTree::Index>(*record);
}

QuotaTree::Index ClusterState::known_leaf(JobId id) const {
    const QuotaTree::Index* const known = leaves_.find(id);
    return known == nullptr ? QuotaTree::kNone : *known;
}

// The tree of this configuration, with all jobs.
QuotaTree ClusterState::quota_from_scratch() const {
    QuotaTree tree;
    tree.rebuild(spec());
    if (!tree.enforced()) return tree;
    for (const UsageRecord& record : usage_.records()) tree.add_leaf(record.account, record.user);
    for (const auto& [id, job] : jobs_) {
        if (!is_final(job.state)) tree.add(job, leaf_by_name(job));
    }
    return tree;
}

// Call it when the configuration has changed.
void ClusterState::rebuild_quota() {
    quota_ = quota_from_scratch();
    if (!quota_.enforced()) return;
    for (const auto& [id, job] : jobs_) {
        if (!is_final(job.state)) leaf_of(job);
    }
}

void ClusterState::check_quota() const {
    BERTH_ASSERT(quota_.same_as(quota_from_scratch()));
    for (const auto& [id, job] : jobs_) {
        const QuotaTree::Index known = known_leaf(id);
        const bool is_counted = quota_.enforced() && !is_final(job.state);
        BERTH_ASSERT(known == QuotaTree::kNone ? !is_counted : known == leaf_by_name(job));
    }
}

}  // namespace berth
