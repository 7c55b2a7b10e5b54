// Where the tasks of a new step go within its job, and which cores and GPUs each gets.
#pragma once

#include <variant>

#include "berth/engine/admission/objection.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

// Places the tasks of a new step within its job's allocation, beside the steps that run there now.
// Returns the step to record, or the refusal.
std::variant<Step, Refusing> lay_out_step(const ClusterState& state, Time now, const Job& job,
                                          const StepRequest& request);

}  // namespace berth
