// NodeRow, PartitionRow and ConfigRow out of an edition.
#pragma once

#include "berth/api/messages.h"
#include "berth/server/snapshot/published.h"

namespace berth {

// All nodes, in the order of the configuration; those that it no longer names are left out.
std::vector<api::NodeRow> node_rows(const Edition& edition);
std::optional<api::NodeRow> node_row(const Edition& edition, std::string_view name);

std::vector<api::PartitionRow> partition_rows(const Edition& edition);
api::ConfigRow config_row(const ClusterSpec& spec);

}  // namespace berth
