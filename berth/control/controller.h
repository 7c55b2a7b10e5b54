// Controller: the state machine. Inputs in, records, answers and orders out; no I/O of its own.
#pragma once

#include <map>

#include "berth/control/ports.h"
#include "berth/engine/engine.h"

namespace berth {

// What one turn came to. Nothing of it may leave before `record` is durable.
struct Turn {
    Record record;  // Empty facts: nothing to write.
    std::vector<OutgoingOrder> orders;
    std::vector<OutgoingAnswer> answers;
    std::vector<Link> closed;  // Links to be cut: superseded, or not one of our nodes.
    Changes changes;
    std::optional<Time> wake_at;  // When to turn again, if nothing comes first.
};

// Protections that the simulated world takes out one at a time, to prove that it would notice. All
// on in production; there is no setting for them.
struct ControlProtections {
    bool request_ids = true;
    bool boot_ids = true;
    bool attempts = true;  // A report about another attempt than the current one is ignored.
    bool atomic_inventory =
        true;  // Nothing is decided about a node before its whole inventory is in.
    bool wait_for_clean = true;  // A GPU is free when the agent says that its cgroup is empty.
    bool gangs = true;           // All nodes of a job are launched and ended together.
};

class Controller {
public:
    // `recovered` is the state that snapshot and journal give, or an empty one; `epoch` is higher
    // than any before. The first turn records ControllerStarted, and `spec` if it differs from the
    // recovered one.
    Controller(Engine recovered, ClusterSpec spec, Epoch epoch, std::uint64_t next_sequence,
               ControlProtections protections = {});

    Turn turn(Time now, std::vector<Input> inputs, bool has_room = true);

    const ClusterState& state() const { return engine_.state(); }

private:
    Engine engine_;
    // The rest is for the implementer.
};

}  // namespace berth
