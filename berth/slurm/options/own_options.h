// Berth's own options of sbatch and srun, but for those of where a job runs (near_options.h).
#pragma once

#include "berth/base/result.h"
#include "berth/slurm/options/job_draft.h"

namespace berth::slurm {

Status set_max_wait(JobDraft& draft, const char* value);      // "10:00"
Status set_checkpoint(JobDraft& draft, const char* value);    // "model-%j.pt"
Status set_restart_cost(JobDraft& draft, const char* value);  // "10:00"

}  // namespace berth::slurm
