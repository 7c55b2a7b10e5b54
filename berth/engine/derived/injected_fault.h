// InjectedFault: planner faults for tests.
#pragma once

#include <cstdint>

namespace berth {

// A fault injected into the planner to verify that the checks catch it. Only tests use it.
enum class InjectedFault : std::uint8_t {
    none,
    forgets_planned_starts,    // Starts whatever fits beside running jobs, ignoring planned starts.
    books_too_short,           // Reserves half the time.
    overlooks_a_free_slot,     // Takes the second start found.
    breaks_planned_starts,     // Plans a job again, and later.
    tears_cliques,             // Takes the outermost devices.
    ignores_blocking_reasons,  // Begin times, dependencies and limits keep no job waiting.
    gives_twice,               // Takes the first devices of a node, free or not.
};

}  // namespace berth
