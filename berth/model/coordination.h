// Coordination: the users who manage an account, with all accounts beneath it, as Slurm's
// coordinators do. What that lets them do is for authorization to say.
#pragma once

#include <string_view>

#include "berth/model/cluster_spec.h"

namespace berth {

// Whether the user coordinates the account, or one above it.
bool coordinates(const ClusterSpec& spec, std::string_view user, std::string_view account);

}  // namespace berth
