// AgentTurn: what one turn of the agent asks of its disk, its node and its link.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/agent/ports.h"

namespace berth {

struct AgentTurn {
    // Carried out first, and durable before the rest leaves.
    std::vector<MemoryWrite> writes;
    std::vector<HostAction> actions;
    std::vector<OutgoingReport> reports;
    std::optional<std::uint64_t> close;  // A link to cut.
    std::optional<Time> wake_at;
};

}  // namespace berth
