// The ids of the model. Each names one kind of thing; nodes, partitions and QOS are dense indices.
#pragma once

#include "berth/base/strong_id.h"

namespace berth {

using JobId =
    StrongId<struct JobIdTag, std::uint32_t>;  // As users see it: 1, 2, 3 … (26 bits in Slurm).
using NodeId = StrongId<struct NodeIdTag, std::uint32_t>;  // Index into ClusterSpec::nodes.
using PartitionId =
    StrongId<struct PartitionIdTag, std::uint32_t>;      // Index into ClusterSpec::partitions.
using QosId = StrongId<struct QosIdTag, std::uint32_t>;  // Index into ClusterSpec::qos.
using DimensionId = StrongId<struct DimensionIdTag, std::uint32_t>;  // Index into Resources.
using StepId = StrongId<struct StepIdTag, std::uint32_t>;  // Within its job; see kBatchStep.

// The n-th run of a job, from 1. It goes up at each start, never down.
using Attempt = StrongId<struct AttemptTag, std::uint32_t>;

// A controller's term of office. Each start of a controller takes the next one; the higher wins.
using Epoch = StrongId<struct EpochTag, std::uint64_t>;

// Slurm's pseudo step ids, which stand in file names, cgroup paths and accounting.
inline constexpr StepId kBatchStep{0xfffffffb};
inline constexpr StepId kExternStep{0xfffffffc};
// No steps: the site's own programs around an attempt (HookSpec).
inline constexpr StepId kPrologStep{0xfffffff0}, kEpilogStep{0xfffffff1};

}  // namespace berth
