// The options of sbatch and srun about how tasks lie on nodes, sockets and cores.
#pragma once

#include "berth/base/result.h"
#include "berth/slurm/options/job_draft.h"

namespace berth::slurm {

Status set_core_spec(JobDraft& draft, const char* value);
Status set_distribution(JobDraft& draft, const char* value);     // "plane=4", "block:cyclic,Pack"
Status set_gpus_per_socket(JobDraft& draft, const char* value);  // "2", "a100:2"
Status set_hint(JobDraft& draft, const char* value);             // "nomultithread"
Status set_overcommit(JobDraft& draft, const char* value);
Status set_tasks_per_core(JobDraft& draft, const char* value);
Status set_tasks_per_socket(JobDraft& draft, const char* value);
Status set_thread_spec(JobDraft& draft, const char* value);

}  // namespace berth::slurm
