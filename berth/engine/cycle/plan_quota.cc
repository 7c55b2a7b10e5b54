#include "berth/engine/cycle/plan_quota.h"

namespace berth {
namespace {

template <class Key>
bool is_full(const std::map<Key, std::uint32_t>& counts, const Key& key, std::uint32_t most) {
    if (most == 0) return false;
    const auto found = counts.find(key);
    return found != counts.end() && found->second >= most;
}

}  // namespace

PlanQuota::PlanQuota(const ClusterState& state, Time now)
    : state_(state), scheduling_(state.spec().scheduling), now_(now) {
    const PlanningSpec& planning = scheduling_.planning;
    special_ = planning.depth_per_user > 0 || planning.depth_per_partition > 0 ||
               planning.depth_per_user_and_partition > 0 || planning.depth_per_association > 0 ||
               planning.min_age > Duration{} || planning.min_priority > 0;
}

std::string_view PlanQuota::objection(const PendingJob& pending) const {
    if (planned_ >= scheduling_.plan_depth) return "bf_max_job_test";
    const PlanningSpec& planning = scheduling_.planning;
    const Job& job = *state_.find_job(pending.id);
    if (planning.min_age > Duration{} &&
        (!job.eligible_at || after(*job.eligible_at, planning.min_age) > now_)) {
        return "bf_min_age_reserve";
    }
    if (pending.priority() < planning.min_priority) return "bf_min_prio_reserve";
    if (is_full(of_user_, job.owner->uid, planning.depth_per_user)) return "bf_max_job_user";
    if (is_full(of_partition_, pending.partition, planning.depth_per_partition)) {
        return "bf_max_job_part";
    }
    if (is_full(of_user_in_, UserIn{job.owner->uid, pending.partition},
                planning.depth_per_user_and_partition)) {
        return "bf_max_job_user_part";
    }
    const std::optional<std::size_t> usage = pending.usage();
    if (usage && is_full(of_association_, *usage, planning.depth_per_association)) {
        return "bf_max_job_assoc";
    }
    return {};
}

void PlanQuota::count_special(const PendingJob& pending) {
    const std::uint32_t uid = state_.find_job(pending.id)->owner->uid;
    ++of_user_[uid];
    ++of_partition_[pending.partition];
    ++of_user_in_[{uid, pending.partition}];
    if (const auto usage = pending.usage()) ++of_association_[*usage];
}

void PlanQuota::reset() {
    blocked_ = planned_ = 0;
    of_user_.clear();
    of_partition_.clear();
    of_user_in_.clear();
    of_association_.clear();
}

}  // namespace berth
