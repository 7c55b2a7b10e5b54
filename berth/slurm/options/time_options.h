// The options of sbatch, srun and salloc about when a job runs, how long, and before which others.
#pragma once

#include "berth/base/result.h"
#include "berth/slurm/options/job_draft.h"

namespace berth::slurm {

Status set_time(JobDraft& d, const char* v);  // "1-12:00", "UNLIMITED"
Status set_time_min(JobDraft& d, const char* v);
Status set_begin(JobDraft& d, const char* v);  // "tomorrow", "now+1hour"
Status set_deadline(JobDraft& d, const char* v);
Status set_nice(JobDraft& d, const char* v);      // nullptr: 100.
Status set_priority(JobDraft& d, const char* v);  // "500", "TOP"

}  // namespace berth::slurm
