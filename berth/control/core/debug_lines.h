// DebugLines: what the log tells with DebugFlags of slurm.conf: of GRES what nodes registered with,
// what was refused and what jobs were given; of steps, where they run and how they end.
#pragma once

#include "berth/control/turn/turn_builder.h"
#include "berth/model/principal.h"

namespace berth {

// Of the facts of this turn so far.
void log_debug_facts(TurnBuilder& builder);

// Of a command that was not carried out.
void log_refusal(TurnBuilder& builder, const Principal& principal, const Refused& refused);

}  // namespace berth
