// LimitRequest: what a job asks for, as limits count it. It follows from the demand and from how
// the quota tree numbers licenses, so jobs of one kind share it. The demand says the rest.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "berth/base/shared.h"
#include "berth/engine/placement/demand.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

using GresCounts = std::vector<std::pair<DimensionSet, std::int64_t>>;

struct LimitRequest {
    std::int64_t cpus = 0, memory = 0;  // Memory in MiB.
    std::int64_t billing = 0;
    // What few jobs ask for.
    struct More {
        GresCounts of_nodes;  // Of an exclusive job: what its nodes have beyond its request.
        LicenseCounts licenses;
        std::uint8_t flavor = FlavorChoice::kNone;  // All nodes that it may have are of it.
        friend bool operator==(const More&, const More&) = default;
    };
    Shared<More> more;

    // `demand`: the one that it was made of.
    std::int64_t of(const TresLimit& limit, const Demand& demand) const;
};

// `partition`: its weights make the billing.
LimitRequest limit_request_of(const ClusterState& state, PartitionId partition,
                              const Demand& demand);

}  // namespace berth
