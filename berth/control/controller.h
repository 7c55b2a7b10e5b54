// Controller: the state machine. Inputs in, records, answers and orders out; no I/O of its own.
//
// Every decision is recorded before anyone is told; every order follows from the state, and is
// given again until its effect is recorded. So a crash of either side, a lost message and a message
// that comes twice need no rule of their own: see nodes.h for what passes between it and the
// agents.
#pragma once

#include <memory>

#include "berth/base/log.h"
#include "berth/control/ports.h"
#include "berth/engine/engine.h"

namespace berth {

struct LogLine {
    LogLevel level = LogLevel::info;
    std::string text;
};

// What one turn came to. Nothing of it may leave before `record` is durable.
struct Turn {
    Record record;  // Empty facts: nothing to write.
    std::vector<OutgoingOrder> orders;
    std::vector<OutgoingAnswer> answers;
    std::vector<FenceCall> fences;
    std::vector<HookCall> hooks;
    std::vector<Notice> notices;
    std::vector<Link> closed;  // Links to be cut: superseded, or not one of our nodes.
    Changes changes;
    std::optional<Time> wake_at;  // When to turn again, if nothing comes first.
    std::vector<LogLine> log;
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
    bool output_commit = true;   // Nothing leaves before it is durable. Loop's to keep.
};

class Controller {
public:
    // `recovered` is the state that snapshot and journal give, or an empty one; `epoch` is higher
    // than any before. The first turn records ControllerStarted, and `spec` if it differs from the
    // recovered one.
    // `recorded_at` is the time of the last record: time never goes back behind it.
    Controller(Engine recovered, ClusterSpec spec, Epoch epoch, std::uint64_t next_sequence,
               ControlProtections protections = {}, Time recorded_at = {});
    Controller(Controller&&) noexcept;
    Controller& operator=(Controller&&) noexcept;
    ~Controller();

    // `now` may be behind that of the turn before; the record's time never is.
    Turn turn(Time now, std::vector<Input> inputs, bool has_room = true,
              Observer* observer = nullptr);
    // How long the last turn took, until it was durable and published: see cycle_pace.h.
    void turn_took(Duration length);
    // Placement attempts of one cycle, from the next turn on; else kCycleBudget. For simulations
    // whose decisions must not depend on where a cycle stops.
    void limit_cycles(std::uint32_t placement_attempts);

    const ClusterState& state() const;
    Time now() const;  // Of the last turn; before the first, of the last record.

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace berth
