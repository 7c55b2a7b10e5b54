// Names of job states in queries.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "berth/base/text.h"

namespace berth::api {

// States of Slurm's that no job of Berth is ever in: scripts may ask for them, and find none.
inline constexpr auto kStatesWithoutJobs =
    std::to_array<std::string_view>({"RESIZING", "RESV_DEL_HOLD", "REQUEUE_FED", "REQUEUE_HOLD",
                                     "REVOKED", "SIGNALING", "STAGE_OUT", "STOPPED"});

inline bool has_no_jobs(std::string_view state) {
    return std::ranges::any_of(kStatesWithoutJobs,
                               [&](std::string_view one) { return iequals(one, state); });
}

}  // namespace berth::api
