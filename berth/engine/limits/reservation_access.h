// Who may use a reservation, and for how long.
#pragma once

#include "berth/engine/state/cluster_state.h"

namespace berth {

// Of users and groups one must fit, of accounts one, of QOS one; where a list is empty, all do.
bool may_use(const Reservation& reservation, const Job& job);

// The reservation whose end bounds the job: the job said no time limit, so its limit falls to what
// the reservation has left. nullptr: it said one, or wants no reservation, or a FLEX one.
const Reservation* bounding_reservation(const ClusterState& state, const Job& job);

// The time limit that the job would have if it started with its reservation.
Duration longest_limit(const ClusterState& state, const Job& job);

}  // namespace berth
