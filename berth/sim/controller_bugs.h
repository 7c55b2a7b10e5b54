// ControllerBugs: what is wrong with a world's controller on purpose, to see the oracle notice.
#pragma once

#include "berth/engine/cycle/engine.h"

namespace berth::sim {

struct ControllerBugs {
    InjectedFault engine = InjectedFault::none;
    // The engine's own checks of its state end the program before the oracle can speak.
    bool checks_itself = true;
    bool forgets_to_write = false;  // Which jobs have become eligible is missing in the journal.
};

}  // namespace berth::sim
