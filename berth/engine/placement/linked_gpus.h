// Linked GPUs: how many free ones a node must have for some of them to be all linked to each other,
// as `pack` asks for.
#pragma once

#include <optional>

#include "berth/base/bitmask.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// How many free GPUs of this type a node must have for any choice of them to hold `count` that are
// linked; nullopt: even all of its GPUs do not.
std::optional<std::int64_t> enough_for_linked(const NodeSpec& node, DimensionId type,
                                              std::int64_t count);

// The most of that on any of these nodes and for any of these types. `nodes` keeps those that have
// `count` linked GPUs of one type when nothing runs.
std::int64_t enough_for_linked(const ClusterSpec& spec, DimensionSet types, std::int64_t count,
                               BitSet& nodes);

}  // namespace berth
