// PlanQuota: which of the jobs that wait get a planned start, in their order: so many of all, of
// each user, partition and account's user, and none that is too new or too unimportant. The others
// still start wherever they delay no one.
#pragma once

#include <map>

#include "berth/engine/derived/order.h"

namespace berth {

class PlanQuota {
public:
    PlanQuota(const ClusterState& state, Time now);

    bool admits(const PendingJob& job) const {
        return planned_ < scheduling_.plan_depth && (!special_ || has_room(job));
    }
    // It waits.
    void count(const PendingJob& job) {
        ++blocked_;
        if (!admits(job)) return;
        ++planned_;
        if (special_) count_special(job);
    }
    std::uint32_t blocked() const { return blocked_; }
    // Whether the depth alone decides, and nobody behind is within it.
    bool is_exhausted() const { return !special_ && planned_ >= scheduling_.plan_depth; }
    // Whether it admits all of so many.
    bool admits_all(std::size_t jobs) const { return !special_ && jobs <= scheduling_.plan_depth; }
    void reset();

    // The option of SchedulerParameters that stands against it; empty: none.
    std::string_view objection(const PendingJob& job) const;

private:
    using UserIn = std::pair<std::uint32_t, PartitionId>;

    bool has_room(const PendingJob& job) const { return objection(job).empty(); }
    void count_special(const PendingJob& job);

    const ClusterState& state_;
    const SchedulingSpec& scheduling_;
    Time now_;
    bool special_;  // More than the depth of the whole is limited.
    std::uint32_t blocked_ = 0, planned_ = 0;
    std::map<std::uint32_t, std::uint32_t> of_user_;
    std::map<PartitionId, std::uint32_t> of_partition_;
    std::map<UserIn, std::uint32_t> of_user_in_;
    std::map<std::size_t, std::uint32_t> of_association_;
};

}  // namespace berth
