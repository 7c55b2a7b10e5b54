// AgentProtections: the agent's rules against starting a run twice or losing one.
#pragma once

namespace berth {

// The simulated world switches these off one at a time (the controller's: see sim/unprotected.h).
struct AgentProtections {
    bool attempts = true;  // A launch whose attempt is not above the job's last one is refused.
    bool tombstones = true;
    bool boot_ids = true;
    bool epochs = true;
    bool sessions = true;
    bool spool = true;           // Ends stay on disk until acknowledged.
    bool wait_for_empty = true;  // An end is reported only once the cgroup is empty.
    // A launch that wants devices or cores of a live attempt is refused.
    bool overlap = true;
};

}  // namespace berth
