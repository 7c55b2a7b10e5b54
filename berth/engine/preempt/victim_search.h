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

// By place in the order of preference. nullptr: there are no more.
using VictimAt = std::function<const Victim*(std::size_t)>;

// Has the trial without that candidate: lifted, or with its cores lent.
using StopVictim = std::function<void(std::size_t)>;

// Whether the job fits the plan as the trial has it now, and where.
using FitsNow = std::function<std::optional<Found>()>;

struct VictimChoice {
    std::vector<std::size_t> victims;  // Places among the candidates, in their order.
    Found found;                       // Where the job fits without them.
};

// The victims among the candidates: as few of the later ones as possible, and none that could be
// spared if all others of the choice end. nullopt: the job does not fit even if all of them end.
//
// Cost: O(log n) searches for the shortest prefix of n candidates that makes room, then two for
// each victim: the method is QuickXplain (Junker, AAAI 2004). No candidate behind twice that prefix
// is asked for.
std::optional<VictimChoice> choose_victims(const ClusterState& state, const VictimAt& candidate,
                                           const StopVictim& stop, Trial& trial,
                                           const FitsNow& fits);

}  // namespace berth
