// Eligibility: which pending jobs no blocking reason keeps out of the order, and their place in it.
//
// A job that waits only for others to give back what a limit leaves them stays in the order: it
// waits ahead, for a planned start. There are at most as many of these as get planned starts, and
// never more than 500.
#pragma once

#include <vector>

#include "berth/engine/cycle/open_cycle.h"

namespace berth {

class Eligibility {
public:
    explicit Eligibility(OpenCycle& cycle) : cycle_(cycle) {}

    // Finds whether the job is eligible, and updates its record. One that no longer is leaves the
    // order and the plan.
    void check(PendingJob& pending);

    // Checks new and changed jobs, blocked, dependent and array jobs, and those affected by changed
    // limits; all jobs if nodes came or went. Puts the eligible ones in order.
    void recheck_waiting();
    // Checks the jobs of these leaves of the quota tree when recheck_waiting() is called next.
    void recheck_below(const BitSet& leaves);

private:
    void recheck_limits();
    bool stays_open(const PendingJob& pending) const;
    void settle_jobs();
    void watch_pools(const PendingJob& pending, const Job& job);
    BlockingReason::Ahead may_wait_ahead(const PendingJob& pending, const Job& job) const;
    void plan_more_ahead();
    void write_eligible();

    OpenCycle& cycle_;
    std::vector<JobId> eligible_;  // To be recorded as eligible.
};

}  // namespace berth
