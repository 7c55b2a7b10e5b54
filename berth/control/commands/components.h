// Heterogeneous jobs (`sbatch a : b`): each component is a job record of its own. All are submitted
// or none; when one ends, the turn builder ends the others.
#pragma once

#include <variant>
#include <vector>

#include "berth/control/turn/turn_builder.h"
#include "berth/engine/admission/admission.h"
#include "berth/model/principal.h"

namespace berth {

// The records to be made, the first component first; or why one of them cannot be accepted.
std::variant<std::vector<Job>, Refusing> admit_components(TurnBuilder& builder,
                                                          const Principal& principal,
                                                          const std::vector<JobSpec>& specs,
                                                          PriorityBy set_by);

}  // namespace berth
