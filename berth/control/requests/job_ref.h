// What a reference such as "12", "12_3", "12_[1-3]" or "12+1" means now: which job records, and
// which of an array record's tasks that have not started.
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
    std::vector<std::uint32_t> tasks;  // Of an array record: only these. Empty: the whole record.
    friend bool operator==(const JobTarget&, const JobTarget&) = default;
};

// In id order, never empty: a reference that nothing answers to is refused as an unknown job.
std::variant<std::vector<JobTarget>, Refusing> find_targets(const ClusterState& state,
                                                            const JobRef& ref);

// "12_[1-3,7]"
std::string to_text(const JobRef& ref);

// For what can only be done to one job at a time.
std::variant<JobTarget, Refusing> find_single(const ClusterState& state, const JobRef& ref);

}  // namespace berth
