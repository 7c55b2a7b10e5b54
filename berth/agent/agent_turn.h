// AgentTurn: what one turn of the agent asks of its disk, its node and its link.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/agent/ports.h"

namespace berth {

struct AgentTurn {
    std::vector<MemoryWrite> writes;      // First, and durable …
    std::vector<HostAction> actions;      // … then these …
    std::vector<OutgoingReport> reports;  // … and these.
    std::optional<std::uint64_t> close;   // A link to be cut.
    std::optional<Time> wake_at;
};

}  // namespace berth
