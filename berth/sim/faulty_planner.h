// InjectedFault: a planner with a fault, to prove that the checks notice it. It is made of the
// engine's own parts and runs in place of CycleRun, so the engine has no switch for it.
#pragma once

#include <cstdint>

#include "berth/engine/cycle/engine.h"

namespace berth::sim {

enum class InjectedFault : std::uint8_t {
    none,
    forgets_planned_starts,    // Starts whatever fits beside running jobs, ignoring planned starts.
    books_too_short,           // Reserves half the time.
    overlooks_a_free_slot,     // Takes the second start found.
    breaks_planned_starts,     // Plans a job again, and later.
    tears_cliques,             // Takes the outermost devices.
    ignores_blocking_reasons,  // Begin times, dependencies and limits keep no job waiting.
    takes_from_anyone,         // Preempts a run that may borrow nothing.
    gives_twice,               // Takes the first devices of a node, free or not.
    piles_up_parts,            // Takes a part of a GPU that has no room for it.
};

// Takes each part of a GPU from the first GPU of its node that is shared, which may have no room.
void pile_up_parts(const ClusterState& state, Allocation& allocation);

// From now on the engine plans with this fault.
void inject(Engine& engine, InjectedFault fault);

}  // namespace berth::sim
