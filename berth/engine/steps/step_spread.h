// Step spread: how many tasks of a step, and how much of its GRES, go to each of its job's nodes.
#pragma once

#include <optional>
#include <vector>

#include "berth/engine/placement/demand.h"
#include "berth/model/cpu_bind.h"

namespace berth {

// A step's request, completed from its job's.
struct StepAsk {
    std::uint32_t tasks = 1;
    std::uint32_t nodes = 1;           // Exact number; at most `tasks`.
    std::vector<NodeId> named;         // Must be among them.
    std::uint32_t tasks_per_node = 0;  // Maximum; 0: no limit.
    std::uint32_t cpus_per_task = 1;
    std::uint32_t threads_per_core = 0;  // As Near has it.
    TaskOrder order = TaskOrder::as_fits;
    std::uint32_t plane = 0;
    TaskLayout layout;   // Numbers per socket and core are the job's, and hold where they can.
    bool exact = false;  // Only the cores that its tasks need; otherwise all free ones.
    CpuBind::Kind bind = CpuBind::Kind::automatic;
    bool inherits = false;  // No GRES requested: gets all devices of its job on its nodes.
    std::vector<GresDemand> per_node;
    std::vector<GresDemand> per_task;
    std::optional<GresDemand> in_all;  // At least one on each node.
};

// What a job holds on one node, or what its other steps leave of that.
struct StepRoom {
    NodeId node{0};
    const NodeSpec* spec = nullptr;
    BitSet cores;
    DeviceMask devices = 0;
    DeviceMask held = 0;  // All devices of the job, free or not.
    Resources amount;     // The job's amount, for GRES without devices.
};

struct StepPart {
    std::size_t room = 0;  // Index of the room.
    std::uint32_t tasks = 0;
    std::uint32_t cores = 0;
    Resources gres;  // By dimension; without CPUs and memory.
};

// How this many tasks of the step use so many cores of the node: as the job's tasks do if the cores
// suffice, and otherwise as they need.
CoreUse core_use(const StepAsk& ask, const NodeSpec& node, std::uint64_t cores,
                 std::uint32_t tasks);

// The ranks of each part, in the order of the parts.
std::vector<std::vector<std::uint32_t>> ranks_of(const StepAsk& ask,
                                                 const std::vector<StepPart>& parts);

// The parts, in the order of the rooms; nullopt: the step does not fit.
std::optional<std::vector<StepPart>> spread_step(const StepAsk& ask,
                                                 const std::vector<StepRoom>& rooms);

}  // namespace berth
