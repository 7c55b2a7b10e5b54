// JobRow and StepRow from a snapshot: everything that Slurm's commands print about a job, by name.
#pragma once

#include "berth/api/messages.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

api::JobRow job_row(const Snapshot& snapshot, const SnapshotJob& read_model);
api::StepRow step_row(const ClusterSpec& spec, JobId job, const Step& step);

// The reason that Slurm shows: why the job waits, why it ended, or "None".
std::string reason_text(const SnapshotJob& read_model);

}  // namespace berth
