// Controller: the state machine. Inputs in, records, answers and orders out; no I/O of its own.
//
// Every decision is recorded before anyone is told; every order follows from the state, and is
// given again until its effect is recorded. So a crash of either side, a lost message and a message
// that comes twice need no rule of their own: see nodes.h for what passes between it and the
// agents.
#pragma once

#include <memory>

#include "berth/control/core/ports.h"
#include "berth/control/turn/control_protections.h"
#include "berth/engine/cycle/engine.h"

namespace berth {

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
