// The input and the result of a search for a start.
#pragma once

#include <cstdint>
#include <vector>

#include "berth/base/shared.h"
#include "berth/engine/placement/placement.h"

namespace berth {

struct Window {
    Time earliest{};
    Time latest{};  // The last start that is acceptable.
    Duration length{};
    bool is_now = false;  // Earliest and latest are the present: no run ends before that.
};

struct Found {
    Time start{};
    std::vector<Part> parts;
    std::vector<LicenseCount> licenses;
};

// What a demand takes from one node of each class that can serve it: the key to the free-slot
// index. Exists only where that amount does not depend on what else is free: the same number of
// tasks on each node, and devices of one kind.
struct ClassRequirement {
    std::uint32_t node_class = 0;
    std::uint32_t level = 0;
    std::uint32_t tasks = 0;
    // The demand also takes dimensions that levels ignore, so each free slot needs a check.
    bool takes_others = false;
    Shared<Resources> take;  // Classes with equal amounts hold the same one.
};
struct ClassRequirements {
    std::uint64_t generation = 0;  // PlanBook::generation() for which this was made; 0: not made.
    bool known = false;            // False: the demand has no fixed requirement per class.
    std::vector<std::vector<ClassRequirement>> choices;  // Parallel to Demand::choices.
};

}  // namespace berth
