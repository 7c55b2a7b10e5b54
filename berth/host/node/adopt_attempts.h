// Takes over the attempts that an earlier agent process has left.
#pragma once

#include <vector>

#include "berth/host/node/attempt_places.h"
#include "berth/host/node/live_runs.h"
#include "berth/host/node/node_description.h"
#include "berth/host/node/shared_memory_watch.h"

namespace berth {

// Returns the runs that have processes. Exit records of the others are told as events.
std::vector<RunKey> adopt_attempts(const NodeDescription& description, AttemptPlaces& places,
                                   LiveRuns& runs, SharedMemoryWatch& shared_memory);

}  // namespace berth
