// Submission: the checks that a new job passes, for one that is submitted and for one that is only
// tested.
#pragma once

#include <variant>
#include <vector>

#include "berth/control/requests/refused.h"
#include "berth/control/turn/command.h"
#include "berth/control/turn/turn_builder.h"

namespace berth {

// The jobs as they would be recorded: one, or the components of a heterogeneous job.
std::variant<std::vector<Job>, Refused> admit_submission(TurnBuilder& builder,
                                                         const Principal& principal,
                                                         const SubmitJob& command, bool has_room);

}  // namespace berth
