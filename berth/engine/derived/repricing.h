// Repricing: the priorities of all pending jobs, computed anew once a period (PriorityCalcPeriod).
// A long queue takes several cycles: jobs keep their old priority until all new ones are known.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "berth/engine/derived/order.h"

namespace berth {

class Repricing {
public:
    // Whether priorities are to be computed, or are under way, in the period that begins at
    // `period`. `never_change`: the policy gives each job one priority for good.
    bool is_due(Time period, bool never_change);
    bool is_under_way() const { return under_way_; }
    bool has_begun_earlier() const { return next_ != JobId(0); }  // In an earlier cycle.

    // Computes the priorities of some jobs. True: all are known.
    // REQUIRES: is_due().
    template <class PriorityOf>
    bool compute_some(PendingJobs& jobs, PriorityOf priority_of) {
        std::size_t left = kAtOnce;
        runs_.emplace_back();
        for (auto at = jobs.all().from(next_); at != jobs.all().end(); ++at) {
            const auto& [id, job] = *at;
            if (left-- == 0) {
                next_ = id;
                sort_last_run();
                return false;
            }
            const std::int64_t priority = priority_of(id);
            if (priority != job.priority()) add(job, priority);
        }
        sort_last_run();
        return true;
    }

    // Gives the jobs the computed priorities and sorts the order. Returns the jobs whose priority
    // has changed. `ranked`: the site's order rule ranks the jobs, too.
    std::vector<JobId> take(PendingJobs& jobs, bool ranked);

    // What is under way counts no more, and a new period begins with the next cycle.
    void restart();
    // The same, but each job has the priority of the period that begins next: its own evaluation
    // computes it.
    void reset();

private:
    static constexpr std::size_t kAtOnce = 8192;

    void add(PendingJob& job, std::int64_t priority);
    void sort_last_run();
    void forget();

    std::optional<Time> period_;  // For which priorities were computed, or are being computed.
    bool under_way_ = false;
    JobId next_{0};
    std::vector<std::pair<JobId, std::int64_t>> moved_;
    std::vector<std::vector<JobOrder::Entry>> runs_;  // The new order, in sorted runs.
};

}  // namespace berth
