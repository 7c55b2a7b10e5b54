// ControlProtections: protections that the simulated world switches off one at a time, to prove
// that their absence is noticed. Production has all of them on; no setting changes them.
#pragma once

namespace berth {

struct ControlProtections {
    bool request_ids = true;
    bool boot_ids = true;
    // Reports about an attempt other than the current one are ignored.
    bool attempts = true;
    // Nothing is decided about a node before its whole inventory has arrived.
    bool atomic_inventory = true;
    // A GPU is free once the agent says that the attempt's cgroup is empty.
    bool wait_for_clean = true;
    bool gangs = true;          // All nodes of a job launch and end together.
    bool output_commit = true;  // Nothing leaves before it is durable; see Loop.
};

}  // namespace berth
