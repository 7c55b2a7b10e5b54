// Shared GPUs: where a job can have a part of a GPU now. Amounts do not tell that, so it is looked
// up GPU by GPU; for later, a part is planned as a whole GPU (see Demand::share).
#pragma once

#include "berth/engine/plan/plan_book.h"
#include "berth/engine/plan/plan_search.h"
#include "berth/policy/gpu_choice.h"

namespace berth {

// What the look-up rests on.
struct SharedLook {
    const ClusterState& state;
    const PlanBook& book;
    Time now{};
    Duration length{};
    const Job* wishing = nullptr;  // Whose wishes about other jobs' GPUs count …
    bool preferred = false;        // … the lesser ones too.
};

// The GPUs of a node, for placement scores, and which of its devices they are.
struct NodeGpus {
    std::vector<GpuLeft> left;
    std::vector<std::uint32_t> devices;
};
NodeGpus gpus_of(const ClusterSpec& spec, DimensionSet gpu_types, NodeId node,
                 const NodeFree& free);

// The devices of which the part can be had from now on for so long: GPUs that are shared in that
// way and have room, and whole ones. None of them is promised to anybody as a whole.
DeviceMask devices_for_part(const SharedLook& look, NodeId node, const ShareKind& part);

// The start, now, of a demand with a share, on usable nodes; nullopt: not now. Every part of it
// says which GPU.
std::optional<Found> find_shared_now(const Demand& demand, const SharedLook& look,
                                     const BitSet& usable, const PlacementPreference& preference);

}  // namespace berth
