// Agent: the node's side of the protocol as a state machine. What it must remember over a crash
// goes to disk before anything follows from it.
#pragma once

#include <memory>

#include "berth/agent/agent_protections.h"
#include "berth/agent/agent_turn.h"
#include "berth/agent/ports.h"

namespace berth {

// What is known of this agent and node when the process starts.
struct AgentIdentity {
    std::string node;      // Its name in the configuration.
    std::string instance;  // Of this process.
    std::string boot_id;
    std::optional<Time> booted_at;
    std::string version, os, arch;
    NodeSpec found;                    // What is really there.
    std::optional<JoiningNode> joins;  // As what, where it need not be configured.
};

struct AgentLimits {
    // With more tombstones than that the agent registers anew over its link, since they may only go
    // with a registration. A link may stay up for months.
    std::size_t tombstones = 1024;
};

class Agent {
public:
    // `memory` is all that Disk holds; `alive` are the runs that still have processes, as the host
    // found them (shepherds outlive the agent). With another boot id than remembered nothing is
    // alive. The first turn must bring RunExited for every exit record that a shepherd left
    // meanwhile (looked for after `alive` was, so that none falls between the two): a script that
    // is neither alive nor has one then counts as lost.
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
