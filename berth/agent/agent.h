// Agent: the node's side of the protocol, as a state machine. Whatever it must remember after a
// crash is on disk before it acts on it.
#pragma once

#include <memory>

#include "berth/agent/agent_protections.h"
#include "berth/agent/agent_turn.h"
#include "berth/agent/ports.h"

namespace berth {

// What is known about this agent and node when the process starts.
struct AgentIdentity {
    std::string node;      // Its name in the configuration.
    std::string instance;  // Of this process.
    std::string boot_id;
    std::optional<Time> booted_at;
    std::string version, os, arch;
    NodeSpec found;                    // The hardware that is really there.
    std::optional<JoiningNode> joins;  // Set for a dynamic node: what to create it as.
};

struct AgentLimits {
    // If more tombstones than this have piled up, the agent registers anew over its link, since
    // tombstones can be dropped only at a registration. A link may stay up for months.
    std::size_t tombstones = 1024;
};

class Agent {
public:
    // - `memory`: everything that Disk holds.
    // - `alive`: the runs that still have processes, as the host found them (shepherds outlive the
    //   agent). After a reboot (another boot id than remembered) nothing is alive.
    //
    // The first turn must bring a RunExited for every exit record that a shepherd has left. Look
    // for these records after `alive` was determined, so that no run falls between the two. A
    // script that is neither alive nor has a record then counts as lost.
    Agent(AgentIdentity identity, std::span<const MemoryWrite> memory,
          std::span<const RunKey> alive, Time now, AgentProtections protections = {},
          AgentLimits limits = {});

    Agent(Agent&&) noexcept;
    Agent& operator=(Agent&&) noexcept;
    ~Agent();

    AgentTurn turn(Time now, std::vector<AgentEvent> events);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace berth
