// Loop: drain the inbox → turn → append → publish → answers and orders. The daemon and the
// simulator run this same loop; the order of its lines is the system's first promise.
#pragma once

#include "berth/control/controller.h"

namespace berth {

class Loop {
public:
    Loop(Controller controller, World world);

    // One turn. An error comes from the journal and means: stop now, without another word to
    // anyone.
    Status run_once();

    const Controller& controller() const { return controller_; }

private:
    Controller controller_;
    World world_;
    std::optional<Time> wake_at_;
};

}  // namespace berth
