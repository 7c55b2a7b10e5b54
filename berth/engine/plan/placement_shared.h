// Immediate starts on shared GPUs. Amounts do not tell where a job can have part of a GPU now, so
// each GPU is examined. A later start is planned with a whole GPU (see Demand::share).
#pragma once

#include "berth/engine/plan/plan_book.h"
#include "berth/engine/plan/plan_search.h"
#include "berth/policy/gpu_choice.h"

namespace berth {

// What the search reads.
struct SharedLook {
    const ClusterState& state;
    const PlanBook& book;
    Time now{};
    Duration length{};
    const Job* wishing = nullptr;  // The job whose wishes about other jobs' GPUs count …
    bool preferred = false;        // … the preferred ones too.
};

// The GPUs of a node as placement scores see them, and the index of each among the node's devices.
struct NodeGpus {
    std::vector<GpuLeft> left;
    std::vector<std::uint32_t> devices;
};
NodeGpus gpus_of(const ClusterSpec& spec, DimensionSet gpu_types, NodeId node,
                 const NodeFree& free);

// The devices that can give the part from now on for look.length: GPUs shared in the same way that
// have room, and whole GPUs. Devices that a planned start needs within that time are left out.
DeviceMask devices_for_part(const SharedLook& look, NodeId node, const ShareKind& part);

// The immediate start of a demand with a share on usable nodes; nullopt: it cannot start now. Each
// part of the result names its GPU.
std::optional<Found> find_shared_now(const Demand& demand, const SharedLook& look,
                                     const BitSet& usable, const PlacementPreference& preference);

}  // namespace berth
