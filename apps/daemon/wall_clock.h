// SystemClock: the wall clock of this machine. Daemons read it nowhere else.
#pragma once

#include "berth/control/core/ports.h"
#include "berth/trust/wall_time.h"

namespace berth {

class SystemClock final : public WallClock {
public:
    Time now() override { return wall_time(); }
};

}  // namespace berth
