// The options of srun about its step: how tasks start, which signals and exits end them.
#pragma once

#include "berth/base/result.h"
#include "berth/slurm/options/job_draft.h"

namespace berth::slurm {

Status set_accel_bind(JobDraft& draft, const char* value);        // "g", "gv"
Status set_compress(JobDraft& draft, const char* value);          // nullptr: "lz4"
Status set_cpu_bind(JobDraft& draft, const char* value);          // See CpuBind.
Status set_cpu_freq(JobDraft& draft, const char* value);          // "low-2400000:ondemand"
Status set_gpu_freq(JobDraft& draft, const char* value);          // "900,memory=high,verbose"
Status set_kill_on_bad_exit(JobDraft& draft, const char* value);  // nullptr: 1
Status set_gres_flags(JobDraft& draft, const char* value);        // disable-binding is built.
Status set_mem_bind(JobDraft& draft, const char* value);          // See MemBind.
Status set_mpi(JobDraft& draft, const char* value);
Status set_profile(JobDraft& draft, const char* value);  // none is built.
Status set_network(JobDraft& draft, const char* value);
Status set_pty(JobDraft& draft, const char* value);
Status set_send_libs(JobDraft& draft, const char* value);  // nullptr: "yes"
Status set_relative(JobDraft& draft, const char* value);   // "1": from the job's second node on.
Status set_wait_for_tasks(JobDraft& draft, const char* value);

}  // namespace berth::slurm
