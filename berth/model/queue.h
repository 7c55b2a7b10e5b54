// Queues: accounts with quotas. What a queue may use by right it lends while it does not need it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/quantity.h"
#include "berth/base/time.h"
#include "berth/model/limits.h"

namespace berth {

struct PriorityRange {
    std::int64_t least = 0, most = 0;

    BERTH_FIELDS(PriorityRange, least, most)
};

// The quota of one account and all beneath it, by TRES. For each TRES guarantee ≤ nominal ≤ limit.
// The words are Kueue's and Volcano's: nominal is nominalQuota or deserved, guarantee is what
// lendingLimit leaves or guarantee, limit is nominalQuota + borrowingLimit or capability.
struct QueueSpec {
    std::string name;                     // Of the account.
    TresLimits nominal;                   // By right. Not named: the sum of the queues beneath it.
    TresLimits guarantee;                 // Of it: never lent.
    TresLimits limit;                     // At most, with what it borrows.
    TresLimits lend_max;                  // Of the nominal: what others may borrow.
    TresLimits borrow_max;                // Beyond the nominal.
    std::optional<Ppm> borrow_ratio_max;  // As borrow_max: of each nominal so much, rounded down.
    std::vector<std::string> lenders;     // Only these lend to it. None: any queue does.
    // Of its runs, as victims. What a queue does not say, the nearest queue above it does.
    std::optional<bool> allow_preemption;         // no: they are never preempted.
    std::vector<std::string> allow_preempt_from;  // Only for jobs of, or beneath, these queues.
    std::optional<Duration> grace_period;         // Instead of that of the partition or the QOS.
    // Which jobs the queue admits; the queues above it admit them, too.
    std::optional<std::uint32_t> jobs_max;          // So many at a time, waiting and running ones.
    std::optional<std::uint32_t> gpus_per_job_max;  // On all the nodes that the job may have.
    std::optional<PriorityRange> priorities;        // A job without a priority has 0.

    BERTH_FIELDS(QueueSpec, name, nominal, guarantee, limit, lend_max, borrow_max, borrow_ratio_max,
                 allow_preemption, allow_preempt_from, grace_period, jobs_max, gpus_per_job_max,
                 priorities, lenders)
};

}  // namespace berth
