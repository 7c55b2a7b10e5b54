// Resolves a job reference such as "12", "12_3", "12_[1-3]" or "12+1": which job records it means
// now, and which tasks of an array record that have not started.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "berth/control/turn/command.h"
#include "berth/engine/admission/admission.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

struct JobTarget {
    JobId job{0};
    // Of an array record: only these tasks. Empty: the whole record.
    std::vector<std::uint32_t> tasks;
    friend bool operator==(const JobTarget&, const JobTarget&) = default;
};

// In id order and never empty. A reference that matches no job is refused as an unknown job.
std::variant<std::vector<JobTarget>, Refusing> find_targets(const ClusterState& state,
                                                            const JobRef& ref);

// "12_[1-3,7]"
std::string to_text(const JobRef& ref);

// For commands that take exactly one job.
std::variant<JobTarget, Refusing> find_single(const ClusterState& state, const JobRef& ref);

}  // namespace berth
