// PlantedBug: what is wrong on purpose.
#pragma once

#include <cstdint>

namespace berth {

// A bug put into the planner on purpose, to see it caught. Of tests alone.
enum class PlantedBug : std::uint8_t {
    none,
    forgets_promises,  // Starts whatever fits beside what runs, on what others are promised.
    books_too_short,   // Promises half the time.
    overlooks_a_hole,  // Takes the second start that it finds.
    breaks_promises,   // Plans a job again, and later.
    tears_cliques,     // Takes the outermost devices.
    opens_gates,       // Begin times, dependencies and limits do not keep anyone waiting.
    gives_twice,       // Takes the first devices of a node, free or not.
};

}  // namespace berth
