// Loop: drain the inbox → turn → append → publish → answers and orders. The daemon and the
// simulator run this same loop. The order of these steps is the system's first guarantee: nothing
// leaves before it is durable.
#pragma once

#include "berth/control/core/controller.h"
#include "berth/control/core/forward_time.h"

namespace berth {

class Loop {
public:
    Loop(Controller controller, World world);

    // Runs one turn. An error comes from the journal; the caller must then stop at once and send
    // nothing more.
    Status run_once();

    const Controller& controller() const { return controller_; }
    // Wall-clock time of the next turn if no input comes before.
    std::optional<Time> wake_at() const {
        return wake_at_ ? std::optional(time_.to_wall(*wake_at_)) : std::nullopt;
    }

private:
    void begin(TurnPart part);
    void send(Turn& turn);

    Controller controller_;
    World world_;
    ForwardTime time_;
    // The first turn waits for nothing: in it the controller becomes leader.
    std::optional<Time> wake_at_ = Time{};
};

}  // namespace berth
