// Preemption as `berth why` tells it to a waiting job: for which runs it waits, and what forbids it
// to preempt others.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "berth/engine/derived/derived_state.h"
#include "berth/model/explanation.h"

namespace berth {

// Whether the job would start now if all these runs lent it their cores.
using FitsIfLent = std::function<bool(const std::vector<JobId>&)>;

std::vector<Blocker> blockers_of_preemption(const ClusterState& state, const DerivedState& derived,
                                            const Job& job, std::int64_t priority, Time now,
                                            const FitsIfLent& fits_if_lent);

// "job 812", "jobs 812, 815"; as users name them.
std::string names_of(const ClusterState& state, const std::vector<JobId>& jobs);

}  // namespace berth
