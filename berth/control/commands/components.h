// Heterogeneous jobs, `sbatch a : b`: each component is a job record of its own. All are submitted
// or none; the ledger ends all as soon as one ends.
#pragma once

#include <variant>
#include <vector>

#include "berth/control/turn/turn_builder.h"
#include "berth/engine/admission/admission.h"
#include "berth/model/principal.h"

namespace berth {

// All of them as they will be recorded, the first one first; or why one of them cannot be.
std::variant<std::vector<Job>, Refusing> admit_components(TurnBuilder& builder,
                                                          const Principal& principal,
                                                          const std::vector<JobSpec>& specs);

}  // namespace berth
