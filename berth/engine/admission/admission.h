// Admission: whether the cluster could ever serve a submission, update or step. The answer is an
// ordinary value: a refusal carries Slurm's wording and is not an error.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "berth/engine/admission/objection.h"
#include "berth/engine/admission/priority_by.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/model/principal.h"

namespace berth {

// The job as it will be recorded (JobSubmitted): partition, QOS, account and limit resolved,
// defaults filled in, its id from state.next_job_id(). A job over its partition's limits is
// admitted and pends with the reason, as in Slurm (EnforcePartLimits=NO). A job that no node could
// ever serve is refused.
std::variant<Job, Refusing> admit(const ClusterState& state, Time now, const Principal& owner,
                                  const JobSpec& spec, PriorityBy set_by = PriorityBy::owner);

// Checks an update against the job as it is. Returns the event to record, or the refusal. `groups`:
// all groups of the job's owner, if the owner makes the request.
std::variant<JobUpdated, Refusing> admit_update(const ClusterState& state, Time now,
                                                const JobUpdated& update, bool by_operator,
                                                const std::vector<std::string>& groups = {});

}  // namespace berth
