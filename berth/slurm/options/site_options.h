// Options that act only where a site of Slurm has configured what they need. Here they are answered
// as where it has not: the same words, and the same exit code.
#pragma once

#include "berth/base/result.h"
#include "berth/slurm/options/job_draft.h"

namespace berth::slurm {

// Without BurstBufferType nothing is staged, but the file must be there.
Status set_burst_buffer_file(JobDraft& draft, const char* value);
Status set_reboot(JobDraft& draft, const char* value);
// Without MpiParams there are no ports.
Status set_reserved_ports(JobDraft& draft, const char* value);
Status set_slurmd_debug(JobDraft& draft, const char* value);  // "3", "debug2"
// Without PrologFlags=X11.
Status set_x11(JobDraft& draft, const char* value);

}  // namespace berth::slurm
