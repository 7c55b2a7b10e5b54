// The commands that submit jobs and steps, and act on existing ones.
#pragma once

#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

int run_salloc(const Invocation& call, Streams& streams);
int run_sbatch(const Invocation& call, Streams& streams);
int run_srun(const Invocation& call, Streams& streams);
int run_sattach(const Invocation& call, Streams& streams);
int run_sbcast(const Invocation& call, Streams& streams);
int run_scancel(const Invocation& call, Streams& streams);

}  // namespace berth::slurm
