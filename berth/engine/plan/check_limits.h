// check_limits: verifies that no planned start is beyond a limit. It counts anew, at each moment at
// which a planned start begins, from the job records and the configuration: it shares no code with
// LimitBook.
#pragma once

#include <optional>
#include <string>

#include "berth/engine/state/cluster_state.h"

namespace berth {

// Returns what is wrong; nullopt: nothing. Checked are the group limits of accounts, users and QOS,
// those of each user and account under a QOS, and the limits of queues. Not what queues may borrow:
// their lenders may take that back later. Runs past their time limit do not count.
std::optional<std::string> check_limits(const ClusterState& state, Time now);

}  // namespace berth
