// The options of sbatch and srun about where a job's nodes and GPUs are: --nodelist, --switches,
// --segment, and Berth's own.
#pragma once

#include "berth/base/result.h"
#include "berth/slurm/options/job_draft.h"

namespace berth::slurm {

Status set_exclude(JobDraft& draft, const char* value);     // "n[1-4]", or the path of a file.
Status set_nodefile(JobDraft& draft, const char* value);    // The path of a file.
Status set_nodelist(JobDraft& draft, const char* value);    // As set_exclude.
Status set_node_shape(JobDraft& draft, const char* value);  // -B "2:8:2", "2:*:2"
Status set_sockets(JobDraft& draft, const char* value);
Status set_cores_per_socket(JobDraft& draft, const char* value);
Status set_threads_per_core(JobDraft& draft, const char* value);
Status set_tmp_disk(JobDraft& draft, const char* value);       // "100G"
Status set_prefer(JobDraft& draft, const char* value);         // "ib&ssd"
Status set_switches(JobDraft& draft, const char* value);       // "2" or "2@10:00"
Status set_switches_wait(JobDraft& draft, const char* value);  // *_WAIT4SWITCH: "10:00"
Status set_segment(JobDraft& draft, const char* value);
Status set_affinity(JobDraft& draft, const char* value);       // "node:NAME", "gpu:NAME?" …
Status set_anti_affinity(JobDraft& draft, const char* value);  // … or "feature:NAME", by commas
Status set_exclusive(JobDraft& draft, const char* value);
Status set_oversubscribe(JobDraft& draft, const char* value);
Status set_gpu_bind(JobDraft& draft, const char* value);
Status set_gpu_memory(JobDraft& draft, const char* value);          // "40G"
Status set_compute_capability(JobDraft& draft, const char* value);  // "8.0"

}  // namespace berth::slurm
