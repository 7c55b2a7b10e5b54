// Controller: the state machine. Takes inputs; returns records, answers and orders. No I/O of its
// own.
//
// Every decision is recorded before anyone learns of it. Every order follows from the state, and is
// repeated until its effect is recorded. So a crash on either side and a message that is lost or
// arrives twice need no rules of their own. The protocol with the agents is in nodes.h.
#pragma once

#include <memory>

#include "berth/control/core/ports.h"
#include "berth/engine/cycle/engine.h"

namespace berth {

class Controller {
public:
    // - `recovered`: the state that snapshot and journal yield, or an empty one.
    // - `epoch`: higher than any before.
    // - `recorded_at`: the time of the last record; the controller's time never goes back behind
    //   it.
    //
    // The first turn records ControllerStarted, and `spec` if it differs from the recovered one.
    Controller(Engine recovered, ClusterSpec spec, Epoch epoch, std::uint64_t next_sequence,
               Time recorded_at = {});
    Controller(Controller&&) noexcept;
    Controller& operator=(Controller&&) noexcept;
    ~Controller();

    // `now` may be earlier than that of the last turn; the time of the records never goes back.
    Turn turn(Time now, std::vector<Input> inputs, bool has_room = true,
              Observer* observer = nullptr);
    // How long the last turn took, up to durable and published: see cycle_pace.h.
    void turn_took(Duration length);
    // Sets the number of placement attempts in one cycle, from the next turn on. Default:
    // kCycleBudget. For simulations whose decisions must not depend on where a cycle stops.
    void limit_cycles(std::uint32_t placement_attempts);

    const ClusterState& state() const;
    Time now() const;  // Of the last turn; before the first turn, of the last record.

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace berth
