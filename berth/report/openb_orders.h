// In which order the pods of a run come, and the nodes are looked at.
#pragma once

#include <cstdint>
#include <vector>

#include "berth/report/openb_trace.h"

namespace berth::report {

enum class OpenbOrders {
    published,  // Those of the paper's own program for the same seed.
    ours,       // Others, drawn in the same way.
};

struct OpenbOrder {
    std::vector<OpenbWork> pods;  // All of the trace, then some of it again.
    std::vector<NodeSpec> nodes;  // The first of equals is taken.
};

OpenbOrder openb_order(const OpenbTrace& trace, OpenbOrders orders, std::uint64_t seed);

}  // namespace berth::report
