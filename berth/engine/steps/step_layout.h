// Where the tasks of a new step go within its job, and which cores and GPUs each has.
#pragma once

#include <variant>

#include "berth/engine/admission/objection.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

// Where the tasks of a new step go within its job's allocation, beside the steps that run there
// now.
std::variant<Step, Refusing> lay_out_step(const ClusterState& state, Time now, const Job& job,
                                          const StepRequest& request);

}  // namespace berth
