// Checks the limits of associations and QOS against a job to be submitted or started, in Slurm's
// order: the QOS of its partition, its own QOS, its own association, then each account up to the
// root. A limit set by an earlier one of these overrides that of a later one, but for accounts,
// whose group limits all count. With OverPartQOS the job's own QOS comes first.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/engine/limits/limit_request.h"
#include "berth/engine/placement/demand.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

// A limit that the job would exceed.
struct Excess {
    PendingReason reason = PendingReason::none;
    std::string holder;  // "qos gold", "user ada in account physics", "account physics"
    std::string what;    // "gres/gpu", "running jobs", "minutes"
    std::int64_t asked = 0, used = 0, most = 0;
    bool at_least = false;  // The limit is a minimum, and the job asks for less.
    bool in_all = false;    // The limit is on what is used in the course of time: see Budgets.
    // Of a queue's quota: what it has by right. `most` is what it may use now.
    std::optional<std::int64_t> nominal;
};

// "qos gold allows 2 gres/gpu at once; it asks for 3, and 1 are in use"
// "account physics allows 1000 gres/gpu minutes, and 1004 have been used"
// "queue vision may use 10 gres/gpu now, 8 of them by right; it asks for 4, and 8 are in use"
std::string in_words(const Excess& excess);

// The first limit that keeps the job from starting now.
struct LimitReason {
    PendingReason reason = PendingReason::none;  // none: no limit does.
    bool of_quota = false;                       // Only quotas of queues do.
};

// `asked`: limit_request_of() the demand.
LimitReason limit_reason_on_start(const ClusterState& state, const Job& job, const Demand& demand,
                                  const LimitRequest& asked);

// Whether no limit would keep it from starting if nothing else ran.
bool may_start_alone(const ClusterState& state, const Job& job, const Demand& demand,
                     const LimitRequest& asked);

// All limits that keep it from starting now.
std::vector<Excess> limits_on_start(const ClusterState& state, const Job& job,
                                    const Demand& demand);

// The first limit that forbids the submission: too many jobs are submitted or, if the QOS sets
// DenyOnLimit, the job could not start even on an empty cluster. nullopt: none.
// `moved`: the job of another account that this one replaces. It is not counted twice.
std::optional<Excess> limit_on_submission(const ClusterState& state, const Job& job,
                                          const Demand& demand, const Job* moved = nullptr);

// What a job asks for of QueueQuotas::tres(), by place there. Only what is more than nothing.
using QueueAmounts = std::vector<std::pair<std::size_t, std::int64_t>>;
QueueAmounts queue_amounts_of(const QueueQuotas& queues, const Demand& demand,
                              const LimitRequest& asked);

// How a job of the account would stand to the quotas of its queues.
enum class QuotaStanding : std::uint8_t {
    unbounded,  // None bounds what it asks for.
    // It would use what they have by right, and nothing that is lent: the runs that borrow may be
    // preempted for it.
    by_right,
    beyond_right,
};
QuotaStanding quota_standing(const QueueQuotas& queues, QueueQuotas::Index account,
                             const QueueAmounts& amounts);
QuotaStanding quota_standing(const ClusterState& state, const Job& job, const Demand& demand,
                             const LimitRequest& asked);

// The GRES that the job asks for without a type, though its queue has a quota by type: "gres/gpu".
// Empty: there is none. The job is tried on one type at a time, if there is but one such GRES: see
// flavor_choices.h.
std::string untyped_under_quota(const ClusterState& state, const Job& job, const Demand& demand);

}  // namespace berth
