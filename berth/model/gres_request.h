// GresRequest: how a request names GRES, before the cluster's dimensions are known.
#pragma once

#include <cstdint>
#include <string>

#include "berth/base/fields.h"

namespace berth {

// "gpu:a100:2": a GRES of a name, perhaps of a type, and how many.
struct GresRequest {
    std::string name;
    std::string type;  // Empty: any.
    std::int64_t count = 1;

    BERTH_FIELDS(GresRequest, name, type, count)
};

}  // namespace berth
