// A condition of a job in the form that Kubernetes' objects have.
#pragma once

#include <string>

#include "berth/base/fields.h"
#include "berth/base/time.h"

namespace berth {

struct JobCondition {
    std::string type;    // "Scheduled", "SchedulingTimeout"
    std::string status;  // "True"
    std::string reason, message;
    Time changed_at{};  // When it became so.
    BERTH_FIELDS(JobCondition, type, status, reason, message, changed_at)
};

}  // namespace berth
