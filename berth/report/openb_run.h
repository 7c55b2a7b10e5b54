// One run of the openb protocol (Weng et al., ATC 2023): pods come in a random order until their
// requests add up to 130 % of the GPUs; each is tried once and never leaves. The scores are those
// of the engine's policy.
#pragma once

#include "berth/policy/policy.h"
#include "berth/report/openb_orders.h"

namespace berth::report {

// Percent of all GPUs that are allocated, when requests for so many percent had arrived: the mean
// over all pods at which that is the rounded percentage, as the published figures have it.
struct OpenbShare {
    double at_100 = 0, at_130 = 0;
    double seconds = 0;
};

OpenbShare run_openb(const OpenbTrace& trace, const OpenbOrder& order,
                     const std::vector<RuleSpec>& rules);

}  // namespace berth::report
