// Priority classes, as in Kubernetes: names for priorities that a site gives to its users.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "berth/base/fields.h"

namespace berth {

struct PriorityClassSpec {
    std::string name;
    std::int64_t value = 0;       // The priority of its jobs.
    bool global_default = false;  // Of jobs that name no class; at most one class is.
    bool preempts = true;         // preemptionPolicy; false: Never.
    // PreemptAlways; false: PreemptLowerPriority. nullopt: as PreemptionSpec says.
    std::optional<bool> preempts_newer;

    BERTH_FIELDS(PriorityClassSpec, name, value, global_default, preempts, preempts_newer)
};

}  // namespace berth
