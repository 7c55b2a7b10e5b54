// Explain: why a pending job waits, in numbers. Computed on demand.
#pragma once

#include "berth/engine/cycle/engine.h"
#include "berth/model/explanation.h"

namespace berth {

// The advice is found by trials, which leave no trace in the engine.
Explanation explain(Engine& engine, Time now, JobId job);

}  // namespace berth
