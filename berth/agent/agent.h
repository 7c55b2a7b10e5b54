// Agent: the node's side of the protocol as a state machine. What it must remember over a crash
// goes to disk before anything follows from it.
#pragma once

#include <memory>

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

struct AgentTurn {
    std::vector<MemoryWrite> writes;      // First, and durable …
    std::vector<HostAction> actions;      // … then these …
    std::vector<OutgoingReport> reports;  // … and these.
    std::optional<std::uint64_t> close;   // A link to be cut.
    std::optional<Time> wake_at;
};

// Protections that the simulated world takes out one at a time (see ControlProtections).
struct AgentProtections {
    bool attempts = true;  // A launch of an attempt that is not above the last one is refused.
    bool tombstones = true;
    bool boot_ids = true;
    bool epochs = true;
    bool sessions = true;
    bool spool = true;           // Ends are durable until acknowledged.
    bool wait_for_empty = true;  // An end is reported only once the cgroup is empty.
    bool overlap = true;  // Devices and cores that a live attempt holds are refused to another.
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
