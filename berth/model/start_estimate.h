// StartEstimate: when and where a job would start if it were submitted now (--test-only).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/base/time.h"
#include "berth/model/ids.h"
#include "berth/model/reason.h"

namespace berth {

struct StartEstimate {
    struct Component {
        JobId job{0};  // The id that it would get.
        PartitionId partition{0};
        std::vector<NodeId> nodes;
        std::int64_t cpus = 0;
    };

    std::optional<Time> start;  // nullopt: it has none; `reason` says why.
    PendingReason reason = PendingReason::none;
    std::vector<Component> components;  // By offset; one, unless the job is heterogeneous.
    // What else would keep the job waiting, which the estimate takes as over: a hold, a dependency,
    // a limit.
    std::vector<PendingReason> waits_for;
    // Whether a submission would get this start as its planned start.
    bool planned = true;
};

}  // namespace berth
