// WhatIf: what edits of accounts and queues would do to the jobs that wait, by a trial on copies.
#pragma once

#include <optional>
#include <vector>

#include "berth/engine/state/cluster_state.h"

namespace berth {

struct WhatIf {
    // What a cycle decides about a job that waits.
    struct Prospect {
        std::uint32_t starts_now = 0;  // 1, or the number of tasks of an array.
        std::optional<Time> planned;   // The next start after that.
        PendingReason reason{};        // Why it has no planned start, where it has none.
        bool operator==(const Prospect&) const = default;
    };
    struct Change {
        JobId job{0};
        Prospect before, after;
    };
    struct Preemption {
        JobId victim{0}, preemptor{0};
        auto operator<=>(const Preemption&) const = default;
    };

    std::size_t waiting = 0;              // Jobs and arrays that wait.
    std::vector<Change> changes;          // Those that fare otherwise with the edits, in id order.
    std::vector<Preemption> preemptions;  // That the edits would cause, by victim.
};

// Decides twice at `now`, without a bound on the work: as things are, and after the edits, which
// admission has accepted. Takes a copy of the state, and as long as a scheduler that starts anew.
WhatIf what_if(const ClusterState& state, const AccountingEdits& edits, Time now);

}  // namespace berth
