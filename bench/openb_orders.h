// In which order the pods of a run come, and the nodes are looked at.
#pragma once

#include <cstdint>
#include <vector>

#include "openb_trace.h"

namespace berth::openb {

enum class Orders {
    published,  // Those of the paper's own program for the same seed.
    ours,       // Others, drawn in the same way.
};

struct RunOrder {
    std::vector<Pod> pods;        // All of the trace, then some of it again.
    std::vector<NodeSpec> nodes;  // The first of equals is taken.
};

RunOrder order_of(const Trace& trace, Orders orders, std::uint64_t seed);

}  // namespace berth::openb
