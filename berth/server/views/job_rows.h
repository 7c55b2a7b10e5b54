// JobRow and StepRow out of an edition: all that Slurm's commands print about a job, by name.
#pragma once

#include "berth/api/messages.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

api::JobRow job_row(const Snapshot& snapshot, const SnapshotJob& read_model);
api::StepRow step_row(const ClusterSpec& spec, JobId job, const Step& step);

// The reason that Slurm shows: why it waits, why it ended so, or "None".
std::string reason_text(const SnapshotJob& read_model);

}  // namespace berth
