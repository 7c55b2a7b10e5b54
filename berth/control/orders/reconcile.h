// Reconcile: what the state believes of a node, held against the inventory its agent registers
// with. One pure function, so that the rule which keeps work from running twice is a table.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "berth/model/report.h"

namespace berth {

// One attempt on one node.
struct AttemptId {
    JobId job{0};
    Attempt attempt{0};
    friend auto operator<=>(const AttemptId&, const AttemptId&) = default;
};

// An attempt that holds something on the node, as far as the state knows.
struct Believed {
    AttemptId key;
    bool started = false;  // Its agent has reported, under this boot, that it runs.
};

// What follows from the inventory. An attempt that stands in none of the lists was believed, is
// absent, and has never been heard of: its launch was lost on the way, and is sent again.
struct Reconciled {
    std::vector<AttemptReport> ended;  // Believed, and in the spool: they are over.
    std::vector<AttemptId> lost;       // Believed, and gone with the boot they ran under.
    std::vector<AttemptId> live;       // Believed, and there.
    std::vector<AttemptId> gone;       // Started under this boot, and neither there nor in the
                                       // spool: to be ended, so that a tombstone settles it.
    std::vector<AttemptId> orphans;    // There, and not believed: to be ended.
    friend bool operator==(const Reconciled&, const Reconciled&) = default;
};

// `same_boot`: the node has not been started anew since it was last registered. If it has, nothing
// of what it ran can be alive, but for what it registers now.
Reconciled reconcile(std::span<const Believed> believed, std::span<const AttemptReport> inventory,
                     bool same_boot);

}  // namespace berth
