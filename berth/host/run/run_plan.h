// Run plans: turn the controller's order into the shepherd's RunSpec. Pure, so that CPUs, GPUs,
// environment and files of each task can be tested without starting it.
#pragma once

#include "berth/host/run/job_environment.h"
#include "berth/host/run/run_spec.h"

namespace berth {

// The batch script.
RunSpec batch_run(const LaunchAttempt& launch, const NodeView& view, const UserRecord& user);

// This node's tasks of a step. `attempt`: the one that the step belongs to.
RunSpec step_run(const LaunchStep& launch, const LaunchAttempt& attempt, const NodeView& view,
                 const UserRecord& user);

// The operating system's CPUs of these cores: "0-3,8". Empty if cores are not pinned.
std::string cpus_of(const BitSet& cores, const NodeView& view);

}  // namespace berth
