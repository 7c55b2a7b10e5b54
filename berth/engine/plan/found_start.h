// What a search for a start is asked for, and what it finds.
#pragma once

#include <cstdint>
#include <vector>

#include "berth/engine/placement/placement.h"

namespace berth {

struct Window {
    Time earliest{};
    Time latest{};  // The last start that is of interest.
    Duration length{};
};

struct Found {
    Time start{};
    std::vector<Part> parts;
    std::vector<LicenseCount> licenses;
};

// What a demand takes of one node of each class that can serve it, so that the index of holes can
// be asked. Only where that is the same whatever else is free: the same number of tasks on each
// node, and devices of one kind.
struct ClassRequirement {
    std::uint32_t node_class = 0;
    std::uint32_t level = 0;
    std::uint32_t tasks = 0;
    bool takes_others = false;  // Than levels know of: each hole needs a closer look.
    Resources take;
};
struct ClassRequirements {
    std::uint64_t generation = 0;  // Of the book's classes that it was made for; 0: not made.
    bool known = false;            // False: the demand is not of that kind.
    std::vector<std::vector<ClassRequirement>> choices;  // As Demand::choices.
};

}  // namespace berth
