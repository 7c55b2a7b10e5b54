// InjectedFault: what is wrong on purpose.
#pragma once

#include <cstdint>

namespace berth {

// A bug put into the planner on purpose, to see it caught. Of tests alone.
enum class InjectedFault : std::uint8_t {
    none,
    forgets_planned_starts,  // Starts whatever fits beside what runs, on what others are promised.
    books_too_short,         // Promises half the time.
    overlooks_a_free_slot,   // Takes the second start that it finds.
    breaks_planned_starts,   // Plans a job again, and later.
    tears_cliques,           // Takes the outermost devices.
    ignores_blocking_reasons,  // Begin times, dependencies and limits do not keep anyone waiting.
    gives_twice,               // Takes the first devices of a node, free or not.
};

}  // namespace berth
