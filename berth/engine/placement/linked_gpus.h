// Linked GPUs: how many free GPUs a node must have to guarantee a set of linked ones, as `pack`
// requires.
#pragma once

#include <optional>

#include "berth/base/bitmask.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// The smallest number of free GPUs of this type of which any choice contains `count` linked ones;
// nullopt: not even all GPUs of the node do.
std::optional<std::int64_t> enough_for_linked(const NodeSpec& node, DimensionId type,
                                              std::int64_t count);

// The maximum of that number over these nodes and types. `nodes` keeps those that have `count`
// linked GPUs of one type when empty.
std::int64_t enough_for_linked(const ClusterSpec& spec, DimensionSet types, std::int64_t count,
                               BitSet& nodes);

}  // namespace berth
