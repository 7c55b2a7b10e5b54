// What time alone brings about: runs, deadlines and reservations that end, and when the next of
// them, or the next planned start, is due.
#pragma once

#include "berth/engine/cycle/open_cycle.h"

namespace berth {

// Ends the running jobs that exceed their limit or deadline, and lets their reservation grow.
void end_overdue(OpenCycle& cycle);

// Ends the running jobs of these leaves of the quota tree that hold what their account or
// association has used up: GrpTRESMins.
void end_over_budget(OpenCycle& cycle, const BitSet& leaves);

// Ends the pending jobs that a deadline blocks, and those whose dependency has failed where they or
// the site say so (--kill-on-invalid-dep, DependencyParameters=kill_invalid_depend). True: there
// were some, and other jobs may wait for them.
bool end_those_that_never_run(OpenCycle& cycle);

// A reservation whose time is over is deleted, or moves to its next occurrence.
void advance_reservations(OpenCycle& cycle);

// When the next cycle is due, if nothing happens meanwhile.
std::optional<Time> next_wake(const OpenCycle& cycle);

}  // namespace berth
