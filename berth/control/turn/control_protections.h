// ControlProtections: the protections that the simulated world takes out one at a time, to prove
// that their loss is noticed. All are on in production; there is no setting for them.
#pragma once

namespace berth {

struct ControlProtections {
    bool request_ids = true;
    bool boot_ids = true;
    bool attempts = true;  // A report about another attempt than the current one is ignored.
    bool atomic_inventory =
        true;  // Nothing is decided about a node before its whole inventory is in.
    bool wait_for_clean = true;  // A GPU is free when the agent says that its cgroup is empty.
    bool gangs = true;           // All nodes of a job are launched and ended together.
    bool output_commit = true;   // Nothing leaves before it is durable. Loop's to keep.
};

}  // namespace berth
