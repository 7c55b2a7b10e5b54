// ExitStatus: how a script, a task or a step ended.
#pragma once

#include <cstdint>

#include "berth/base/fields.h"

namespace berth {

struct ExitStatus {
    std::int16_t code = 0;
    std::int16_t signal = 0;  // That ended it; 0: none.

    BERTH_FIELDS(ExitStatus, code, signal)
};

}  // namespace berth
