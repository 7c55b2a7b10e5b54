// Messages about what became of nodes: what `sacctmgr show events` prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"

namespace berth::api {

// A node that took no work, from one time to another.
struct NodeEventRow {
    std::string node;
    Time began{};
    std::optional<Time> ended;  // nullopt: it is still so.
    std::string state;          // "DOWN", "DOWN*" (it does not respond), "DRAIN", "DOWN+DRAIN"
    std::string reason, by;     // Who gave the reason; empty: the controller did.
    BERTH_FIELDS(NodeEventRow, node, began, ended, state, reason, by)
};

// What overlaps this time, of these nodes; without names, of all.
struct NodeEventQuery {
    std::optional<Time> from, until;
    std::vector<std::string> nodes;
};

}  // namespace berth::api
