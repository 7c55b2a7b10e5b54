// PlanQuota: which pending jobs get a planned start: counted in order, up to a number in all and of
// each user, partition and association; none that is too new or of too low priority. The others
// still start wherever they delay no job.
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
    // Counts a job that keeps waiting.
    void count(const PendingJob& job) {
        ++blocked_;
        if (!admits(job)) return;
        ++planned_;
        if (special_) count_special(job);
    }
    std::uint32_t blocked() const { return blocked_; }
    // Whether only the depth limits, and it is reached.
    bool is_exhausted() const { return !special_ && planned_ >= scheduling_.plan_depth; }
    // Whether it admits this many jobs, all of them.
    bool admits_all(std::size_t jobs) const { return !special_ && jobs <= scheduling_.plan_depth; }
    void reset();

    // The option of SchedulerParameters that excludes the job; empty: none.
    std::string_view objection(const PendingJob& job) const;

private:
    using UserIn = std::pair<std::uint32_t, PartitionId>;

    bool has_room(const PendingJob& job) const { return objection(job).empty(); }
    void count_special(const PendingJob& job);

    const ClusterState& state_;
    const SchedulingSpec& scheduling_;
    Time now_;
    bool special_;  // Limits other than the depth apply.
    std::uint32_t blocked_ = 0, planned_ = 0;
    std::map<std::uint32_t, std::uint32_t> of_user_;
    std::map<PartitionId, std::uint32_t> of_partition_;
    std::map<UserIn, std::uint32_t> of_user_in_;
    std::map<std::size_t, std::uint32_t> of_association_;
};

}  // namespace berth
