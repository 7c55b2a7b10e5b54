// Step spread: how many tasks of a step, and how much of its GRES, go to which of its job's nodes.
#pragma once

#include <optional>
#include <vector>

#include "berth/engine/placement/demand.h"

namespace berth {

// A step's request, read in the light of its job's.
struct StepAsk {
    std::uint32_t tasks = 1;
    std::uint32_t nodes = 1;           // Exactly; no more than tasks.
    std::vector<NodeId> named;         // Must be among them.
    std::uint32_t tasks_per_node = 0;  // At most; 0: no limit.
    std::uint32_t cpus_per_task = 1;
    TaskOrder order = TaskOrder::as_fits;
    std::uint32_t plane = 0;
    bool exact = false;     // Only the cores that its tasks need; otherwise all that are left.
    bool inherits = false;  // Said nothing of GRES: gets all devices of its job on its nodes.
    std::vector<GresDemand> per_node;
    std::vector<GresDemand> per_task;
    std::optional<GresDemand> in_all;  // At least one on each node.
};

// What a job holds on one node, or what of that its other steps leave.
struct StepRoom {
    NodeId node{0};
    const NodeSpec* spec = nullptr;
    BitSet cores;
    DeviceMask devices = 0;
    DeviceMask held = 0;  // All of the job's, free or not.
    Resources amount;     // The job's, for GRES that is only counted.
};

struct StepPart {
    std::size_t room = 0;  // Index.
    std::uint32_t tasks = 0;
    std::uint32_t cores = 0;
    Resources gres;  // By dimension; no CPUs and no memory.
};

// Which ranks each part has, in the order of the parts.
std::vector<std::vector<std::uint32_t>> ranks_of(const StepAsk& ask,
                                                 const std::vector<StepPart>& parts);

// The parts, in the order of the rooms; nullopt: it does not fit in these rooms.
std::optional<std::vector<StepPart>> spread_step(const StepAsk& ask,
                                                 const std::vector<StepRoom>& rooms);

}  // namespace berth
