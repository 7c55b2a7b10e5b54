// AgentProtections: what the agent refuses or keeps so that no run is started twice or lost.
#pragma once

namespace berth {

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

}  // namespace berth
