// QueueTerms: what the queues of runs say about their being preempted. Volcano's
// spec.reclaimable and the seed's allowPreemption, allowPreemptFrom and gracePeriod.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"

namespace berth {

class QueueTerms {
public:
    void rebuild(const ClusterSpec& spec);

    // Whether the run's queue lets any job preempt it.
    bool lets_preempt(const Job& run) const;
    // Whether it lets this one.
    bool lets_preempt(const Job& job, const Job& run) const;
    // Whether it matters to any run whose job the preemptor is.
    bool name_preemptors() const { return name_preemptors_; }
    // Between the warning and the end. nullopt: it says nothing.
    std::optional<Duration> grace_of(const Job& run) const;

private:
    using Names = std::set<std::string, std::less<>>;
    struct Terms {
        bool preempted = true;
        std::optional<Names> by;  // Accounts. nullopt: all.
        std::optional<Duration> grace;
    };
    const Terms* find(const Job& run) const;  // nullptr: nothing is said of its queue.

    std::map<std::string, Terms, std::less<>> of_account_;
    bool name_preemptors_ = false;
};

}  // namespace berth
