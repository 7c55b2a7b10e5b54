// Explanation: why a pending job waits, in numbers, and what would let it start.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"
#include "berth/model/ids.h"
#include "berth/model/job_condition.h"
#include "berth/model/reason.h"

namespace berth {

// What keeps a job from starting, one check after another, in numbers.
struct Blocker {
    PendingReason reason = PendingReason::none;
    std::string level;     // "cluster", "partition training", "job" …
    std::string resource;  // "gpu:a100", "cpu", "nodes" …
    std::int64_t asked = 0, free = 0, total = 0;
    std::string text;           // One plain sentence with those numbers.
    std::optional<Time> until;  // When that ends by itself, where that is known.
    BERTH_FIELDS(Blocker, reason, level, resource, asked, free, total, text, until)
};
struct Explanation {
    JobId job{0};
    PendingReason reason = PendingReason::none;
    std::vector<Blocker> blockers;
    std::optional<Time> planned_start;
    std::vector<std::string> planned_nodes;
    std::uint32_t ahead = 0;  // Pending jobs before it in the order.
    std::vector<JobId>
        waits_for;  // Whose ends its planned start waits for, soonest first (at most 8).
    std::vector<std::pair<std::string, std::int64_t>> priority;  // Its terms; their sum decides.
    std::vector<std::string> advice;                             // What would let it start sooner.
    std::int64_t ahead_gpu_minutes = 0;  // What those before it ask for, by their limits …
    std::uint32_t ahead_endless = 0;     // … and how many have none, but ask for GPUs.
    std::vector<std::string> outcome;    // Of a job that is over: how it ended, and why.
    // Its planned start uses what is lent to its queue: the lender may take it back and put it off.
    bool tentative = false;
    std::string phase;  // Of the job, as Kubernetes has them: phase_of().
    std::vector<JobCondition> conditions;
    BERTH_FIELDS(Explanation, job, reason, blockers, planned_start, planned_nodes, ahead, waits_for,
                 priority, advice, ahead_gpu_minutes, ahead_endless, outcome, tentative, phase,
                 conditions)
};

}  // namespace berth
