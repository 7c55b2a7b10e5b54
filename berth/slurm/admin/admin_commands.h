// The commands that show and change the cluster and its accounts.
#pragma once

#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

int run_scontrol(const Invocation& call, Streams& streams);
int run_sacctmgr(const Invocation& call, Streams& streams);

}  // namespace berth::slurm
