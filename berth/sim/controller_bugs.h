// ControllerBugs: bugs injected into a world's controller, to prove that the oracle notices them.
#pragma once

#include "berth/sim/faulty_planner.h"

namespace berth::sim {

struct ControllerBugs {
    InjectedFault engine = InjectedFault::none;
    // If true, the engine's own state checks run; they end the program before the oracle can
    // report.
    bool checks_itself = true;
    // Leaves out of the journal which jobs have become eligible.
    bool forgets_to_write = false;
    // Records each part of a GPU as pile_up_parts() would have it.
    bool piles_up_parts = false;
};

}  // namespace berth::sim
