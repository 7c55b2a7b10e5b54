// Flavor choices: where the quotas of a job's queue tell kinds of nodes apart (cpu:gpu-a100), or
// types of a GRES (gres/gpu:a100), a job that may run on several of them is tried on one at a time,
// and is counted there. That is how Kueue assigns flavors. A job stands in one choice, as it does
// in one of the partitions that it names: JobSpec::flavor.
#pragma once

#include <vector>

#include "berth/engine/state/cluster_state.h"

namespace berth {

// Those of the job in its partition, in the order in which it is tried on them: flavors as they are
// configured, then nodes of none; each with its types of a GRES. Empty: its quotas tell nothing
// apart of what it asks for. Nor are components of a heterogeneous job told apart: they start as a
// whole.
std::vector<FlavorChoice> flavor_choices_of(const ClusterState& state, const Job& job);

// Where a pending job may stand.
struct WaitingPlace {
    PartitionId partition{0};
    FlavorChoice flavor;
    friend bool operator==(const WaitingPlace&, const WaitingPlace&) = default;
};
// Each partition that it names, in the order in which it is tried there, with each flavor choice
// that it has there.
std::vector<WaitingPlace> waiting_places_of(const ClusterState& state, const Job& job);

}  // namespace berth
