// What a job asks for where it stands: in its partition, in its reservation, in a flavor of its
// queue.
#pragma once

#include "berth/engine/placement/demand.h"

namespace berth {

// Restricts the demand to the reservation's nodes, unless the reservation is FLEX.
void keep_to(Demand& demand, const Reservation& reservation);

// Restricts the demand to the nodes of the flavor, and a GRES without a type to the one type; see
// limits/flavor_choices.h. A flavor that is not configured any more restricts nothing.
void keep_to(Demand& demand, const ClusterState& state, const FlavorChoice& choice);

// plain_demand_of(), on the nodes of its reservation and of the flavor in which it stands, if it
// has them. REQUIRES: the job is pending.
Demand resolved_demand(const ClusterState& state, const Job& job);

}  // namespace berth
