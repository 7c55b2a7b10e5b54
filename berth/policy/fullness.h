// Fullness: how little a candidate leaves over, measured by the largest node of the cluster, CPUs
// and GPUs alike.
#pragma once

#include "berth/policy/rule.h"

namespace berth {

Ppm fullness(const Candidate& candidate, const View& view);

}  // namespace berth
