// Loop: drain the inbox → turn → append → publish → answers and orders. The daemon and the
// simulator run this same loop; the order of its lines is the system's first promise.
#pragma once

#include "berth/control/core/controller.h"
#include "berth/control/core/forward_time.h"

namespace berth {

class Loop {
public:
    // Taken out (output_commit), what a turn says leaves before its record is durable.
    Loop(Controller controller, World world, bool output_commit = true);

    // One turn. An error comes from the journal and means: stop now, without another word to
    // anyone.
    Status run_once();

    const Controller& controller() const { return controller_; }
    // By the wall clock: when to turn again, if nothing comes first.
    std::optional<Time> wake_at() const {
        return wake_at_ ? std::optional(time_.to_wall(*wake_at_)) : std::nullopt;
    }

private:
    void begin(TurnPart part);
    void send(Turn& turn);

    Controller controller_;
    World world_;
    bool output_commit_;
    ForwardTime time_;
    std::optional<Time> wake_at_ = Time{};  // The first turn takes office, and waits for nothing.
};

}  // namespace berth
