// NodeEventRow from what the store keeps of nodes that took no work.
#pragma once

#include <string>
#include <vector>

#include "berth/api/messages.h"
#include "berth/store/spans.h"

namespace berth {

// Of these nodes; without names, of all.
std::vector<api::NodeEventRow> node_event_rows(const std::vector<NodeEventSpan>& events,
                                               const std::vector<std::string>& nodes);

}  // namespace berth
