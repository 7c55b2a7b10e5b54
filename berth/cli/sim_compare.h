// berth sim compare: what another configuration would have changed, and for whom.
#pragma once

#include <string>

#include "berth/cli/output.h"

namespace berth::cli {

struct SimCompareOptions {
    std::string a = "current", b;  // Configurations; "current": of the cluster in `state`.
    std::string trace;             // FORMAT:FILE or generate:MIX:JOBS; empty: the history.
    bool from_history = false;
    std::string state;  // The cluster's state directory.
    std::string json;
    std::uint64_t seed = 1;
};
int sim_compare(const SimCompareOptions& options, Output& output);

}  // namespace berth::cli
