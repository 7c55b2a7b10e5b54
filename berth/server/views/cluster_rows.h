// NodeRow, PartitionRow and ConfigRow from a snapshot.
#pragma once

#include "berth/api/messages.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

// All nodes in the order of the configuration, without those that it no longer has.
std::vector<api::NodeRow> node_rows(const Snapshot& snapshot);
std::optional<api::NodeRow> node_row(const Snapshot& snapshot, std::string_view name);

std::vector<api::PartitionRow> partition_rows(const Snapshot& snapshot);
api::ConfigRow config_row(const ClusterSpec& spec);

}  // namespace berth
