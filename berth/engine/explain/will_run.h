// WillRun: when and where jobs would start if they were submitted now (--test-only). The jobs are
// tried on the state and the plan themselves, and everything is taken back.
#pragma once

#include <vector>

#include "berth/engine/cycle/engine.h"
#include "berth/model/start_estimate.h"

namespace berth {

// `jobs`: as admission made them; several are the components of one heterogeneous job. Planned
// starts of other jobs stay as they are, as they would if the job were submitted: a new job gets
// the earliest start beside them, whatever its priority.
StartEstimate will_run(Engine& engine, Time now, const std::vector<Job>& jobs);

}  // namespace berth
