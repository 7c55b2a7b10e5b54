// DebugLines: log lines for DebugFlags in slurm.conf. Gres: what nodes registered with, what was
// refused, what jobs were allocated. Steps: where steps run and how they end.
#pragma once

#include "berth/control/turn/turn_builder.h"
#include "berth/model/principal.h"

namespace berth {

// Logs the facts of this turn so far.
void log_debug_facts(TurnBuilder& builder);

// Logs a command that was refused.
void log_refusal(TurnBuilder& builder, const Principal& principal, const Refused& refused);

}  // namespace berth
