// Explain: why a pending job waits, in numbers. Computed on demand.
#pragma once

#include "berth/engine/cycle/engine.h"
#include "berth/model/explanation.h"

namespace berth {

Explanation explain(const Engine& engine, Time now, JobId job);

}  // namespace berth
