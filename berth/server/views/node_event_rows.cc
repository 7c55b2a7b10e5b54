#include "berth/server/views/node_event_rows.h"

#include <algorithm>

namespace berth {
namespace {

std::string state_of(const NodeEvent& event) {
    if (!event.responding) return event.drained ? "DOWN*+DRAIN" : "DOWN*";
    if (event.down) return event.drained ? "DOWN+DRAIN" : "DOWN";
    return "DRAIN";
}

}  // namespace

std::vector<api::NodeEventRow> node_event_rows(const std::vector<NodeEventSpan>& events,
                                               const std::vector<std::string>& nodes) {
    std::vector<api::NodeEventRow> rows;
    for (const NodeEventSpan& event : events) {
        if (!nodes.empty() && std::ranges::find(nodes, event.name) == nodes.end()) continue;
        rows.push_back({.node = event.name,
                        .began = event.began,
                        .ended = event.ended,
                        .state = state_of(event.standing),
                        .reason = event.standing.reason,
                        .by = event.standing.by});
    }
    return rows;
}

}  // namespace berth
