// BindMemory: makes the calling process take its memory from NUMA nodes that --mem-bind says.
#pragma once

#include <string>

#include "berth/base/bitmask.h"
#include "berth/host/run/run_spec.h"
#include "berth/model/mem_bind.h"

namespace berth {

// The NUMA nodes for the task `local` of a node. `near`: those of its CPUs.
BitSet nodes_to_bind(const MemBind& bind, std::size_t local, const BitSet& near);

// What the task's user should know of it: where the machine has none of these nodes, or does not
// bind memory, the task goes on with all memory. Empty: all is well.
std::string bind_memory(const TaskSpec& task);

}  // namespace berth
