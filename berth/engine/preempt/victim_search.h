// The search for victims: the runs that must end so that a job fits. It tries on a Trial, which is
// taken back at the end.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "berth/engine/plan/found_start.h"
#include "berth/engine/plan/trial.h"

namespace berth {

// What ends together: one job, or all components of a heterogeneous one.
using Victim = std::vector<JobId>;

// Whether the job fits the plan as the trial has it now, and where.
using FitsNow = std::function<std::optional<Found>()>;

struct VictimChoice {
    std::vector<std::size_t> victims;  // Indexes into the candidates, in their order.
    Found found;                       // Where the job fits without them.
};

// The victims among `candidates`, which are in the order of preference: as few of the later ones as
// possible, and none that could be spared if all others of the choice end. nullopt: the job does
// not fit even if all of them end.
//
// Cost: O(log n) searches for the shortest prefix that makes room, then two for each victim: the
// method is QuickXplain (Junker, AAAI 2004).
std::optional<VictimChoice> choose_victims(const ClusterState& state,
                                           const std::vector<Victim>& candidates, Trial& trial,
                                           const FitsNow& fits);

}  // namespace berth
