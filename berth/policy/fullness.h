// Fullness: how little a candidate leaves over, relative to the largest node of the cluster; CPUs
// and GPUs count equally.
#pragma once

#include "berth/policy/rule.h"

namespace berth {

Ppm fullness(const Candidate& candidate, const View& view);

}  // namespace berth
