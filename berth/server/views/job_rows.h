// JobRow and StepRow out of an edition: all that Slurm's commands print about a job, by name.
#pragma once

#include "berth/api/messages.h"
#include "berth/server/snapshot/published.h"

namespace berth {

api::JobRow job_row(const Edition& edition, const PublishedJob& published);
api::StepRow step_row(const ClusterSpec& spec, JobId job, const Step& step);

// The reason that Slurm shows: why it waits, why it ended so, or "None".
std::string reason_text(const PublishedJob& published);

}  // namespace berth
