// Which jobs may use a reservation, and for how long.
#pragma once

#include <string>
#include <vector>

#include "berth/engine/state/cluster_state.h"

namespace berth {

// The job must match the users or groups, the accounts and the QOS of the reservation. An empty
// list matches every job. `groups`: all groups of the job's owner. nullptr: they are not known, and
// the groups of the reservation are not asked.
bool may_use(const Reservation& reservation, const Job& job,
             const std::vector<std::string>* groups);

// The reservation whose end bounds the job: a job without a time limit gets what is left of its
// reservation. nullptr: the job has a limit or no reservation, or the reservation is FLEX.
const Reservation* bounding_reservation(const ClusterState& state, const Job& job);

// The time limit the job would have if it started together with its reservation.
Duration longest_limit(const ClusterState& state, const Job& job);

}  // namespace berth
