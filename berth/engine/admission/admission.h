// Admission: is this submission, update or step one that the cluster could ever serve? An answer,
// not an error: a refusal is an ordinary value with Slurm's words for it.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "berth/engine/admission/objection.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/model/principal.h"

namespace berth {

// The job as it will be recorded (JobSubmitted): partition, QOS, account and limit resolved,
// defaults filled in, id taken from state.next_job_id(). A job over a partition's limits is
// admitted and pends with the reason, as in Slurm (EnforcePartLimits=NO); one that no node could
// ever serve is refused.
std::variant<Job, Refusing> admit(const ClusterState& state, Time now, const Principal& owner,
                                  const JobSpec& spec);

// Checks what an update would change, against the job as it is. On success the event is ready to
// record. `groups`: all groups of the job's owner, where the owner asks.
std::variant<JobUpdated, Refusing> admit_update(const ClusterState& state, Time now,
                                                const JobUpdated& update, bool by_operator,
                                                const std::vector<std::string>& groups = {});

}  // namespace berth
