// Advice: the smallest changes that would let a pending job start sooner. Each is verified by the
// search that plans jobs.
#pragma once

#include <string>
#include <vector>

#include "berth/engine/cycle/engine.h"
#include "berth/engine/derived/derived_state.h"

namespace berth {

struct Advice {
    std::string change;  // "--time=02:00:00", "--gpus=4 instead of 8"
    Time start{};        // When the changed job would start.
    Job job;             // The changed job: its request, time limit and partition.
};

// At most three suggestions, the earliest start first: a shorter limit, fewer GPUs or nodes,
// another type, another partition. The changed job gives up its planned start, which an update
// would take from it too; those of all other jobs stand. `may_plan`: false for a job that site
// options keep out of the plan.
std::vector<Advice> advice_for(Engine& engine, Time now, const PendingJob& pending,
                               bool may_plan = true);

// "--gpus=4 instead of 8 would let it start in 00:10:00 instead of 02:00:00"
std::string in_words(const Advice& advice, Time now, const PlannedStart* planned);

// What the jobs before it in the order ask for, by their limits.
struct WorkAhead {
    std::uint32_t jobs = 0;
    std::int64_t gpu_minutes = 0;
    std::uint32_t endless = 0;  // Jobs that ask for GPUs without a time limit.
};
WorkAhead work_ahead(const ClusterState& state, const DerivedState& derived,
                     const PendingJob& pending);

}  // namespace berth
