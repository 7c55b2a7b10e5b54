// Reconcile: compares what the state believes of a node with the inventory that its agent
// registers. This rule keeps work from running twice; it is one pure function.
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

// An attempt that holds resources on the node, according to the state.
struct Believed {
    AttemptId key;
    bool started = false;  // Its agent reported, under this boot, that it runs.
};

// What follows from the inventory. An attempt in none of the lists was believed, is absent, and was
// never reported: its launch was lost and is sent again.
struct Reconciled {
    std::vector<AttemptReport> ended;  // Believed, and in the spool: they have ended.
    std::vector<AttemptId> lost;       // Believed; they ended with the boot that they ran under.
    std::vector<AttemptId> live;       // Believed, and alive.
    // Started under this boot, and neither alive nor in the spool. They get an end order, which a
    // tombstone answers.
    std::vector<AttemptId> gone;
    std::vector<AttemptId> orphans;  // Alive, and not believed. They get an end order.
    friend bool operator==(const Reconciled&, const Reconciled&) = default;
};

// `same_boot`: the node has not rebooted since it last registered. If it has, only what it
// registers now can be alive.
Reconciled reconcile(std::span<const Believed> believed, std::span<const AttemptReport> inventory,
                     bool same_boot);

}  // namespace berth
