// Explain: why a pending job waits, with numbers, and what it waits for. Made on demand.
#pragma once

#include "berth/engine/cycle/engine.h"
#include "berth/model/explanation.h"

namespace berth {

Explanation explain(const Engine& engine, Time now, JobId job);

}  // namespace berth
