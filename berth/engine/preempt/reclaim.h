// Reclaim: which runs use what they have borrowed, so that a job may have what its queues have by
// right. It looks ahead: take() what is ending, and expect() the jobs that it ends for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/engine/limits/limit_check.h"
#include "berth/engine/limits/limit_request.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

class Reclaim {
public:
    explicit Reclaim(const ClusterState& state) : state_(state), quotas_(state.quota().queues()) {}
    // What a job asks for, and of whom.
    struct Claim {
        std::vector<std::pair<std::size_t, std::int64_t>> amounts;  // By place in tres().
        std::vector<QueueQuotas::Index> queues;                     // Its own, and those above it.
    };
    Claim claim_of(const Job& job, const Demand& demand, const LimitRequest& asked) const;

    // Whether quotas bound it, and it would borrow nothing.
    bool is_by_right(const Claim& claim) const;
    // It will run in the room that others leave.
    void expect(const Claim& claim);

    // How far the run's queue is over its nominal quota, in parts per million of it, in some TRES
    // that is claimed and that the run holds. nullopt: it is not, or the queue that is stands above
    // both: what a queue's own jobs use is never reclaimed for another of them. Queues that name
    // their lenders come before all others while they have more than these will leave.
    std::optional<std::int64_t> excess_of(const Job& run, const Claim& claim) const;

    void take(const Job& run);  // It is to end.

private:
    std::vector<QueueQuotas::Index> queues_from(QueueQuotas::Index account) const;
    bool has_too_much(const std::vector<QueueQuotas::Index>& borrowers, const Claim& claim,
                      std::size_t tres, std::int64_t amount) const;

    const ClusterState& state_;
    QueueQuotas quotas_;
};

// Runs that are ending, or were told to. One that is suspended keeps its quota.
std::vector<JobId> ending_runs(const ClusterState& state);

}  // namespace berth
