// Priorities and ranks of all pending jobs, by the site's rules. Each job gets its priority when
// its eligibility is checked; here are the changes that concern all of them.
#pragma once

#include "berth/engine/cycle/open_cycle.h"

namespace berth {

// Ranks all pending jobs by the site's order rule, including those that are blocked.
void rerank(OpenCycle& cycle);

// Recomputes priorities when a new period begins. A long queue takes several cycles, so that no
// cycle takes long.
void reprioritize(OpenCycle& cycle);

// Slurm's CALCULATE_RUNNING: for display only, no decision reads it.
void prioritize_running(OpenCycle& cycle);

}  // namespace berth
