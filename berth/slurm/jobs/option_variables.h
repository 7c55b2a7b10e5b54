// What a job of sbatch or salloc finds in its environment of the options that no node need know.
#pragma once

#include "berth/model/job_variables.h"
#include "berth/slurm/options/job_draft.h"

namespace berth::slurm {

// SLURM_HINT, SLURM_MEM_BIND, SLURM_CPUS_PER_GPU …: only of options that were given. Most of them
// the sruns of the job take over.
Variables option_variables(const JobDraft& draft);

}  // namespace berth::slurm
