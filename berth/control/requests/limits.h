// Limits on the size of client requests. An error text states the limit.
#pragma once

#include <optional>

#include "berth/control/requests/size_limits.h"
#include "berth/control/turn/command.h"
#include "berth/engine/admission/admission.h"

namespace berth {

// Which field is too large, and its limit. nullopt: none. A job array costs only its list of task
// numbers.
std::optional<Refusing> too_large(const SubmitJob& submission);
std::optional<Refusing> too_large(const UpdateJob& update);
std::optional<Refusing> too_large(const CreateStep& step);
std::optional<Refusing> too_large(const ReservationChange& change);
std::optional<Refusing> too_large(const PartitionChange& change);
std::optional<Refusing> too_large(const NodeChange& change);
std::optional<Refusing> too_large(const NotifyJob& notice);

}  // namespace berth
