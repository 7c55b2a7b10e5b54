// The commands that print tables.
#pragma once

#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

int run_squeue(const Invocation& call, Streams& streams);
int run_sinfo(const Invocation& call, Streams& streams);
int run_sprio(const Invocation& call, Streams& streams);
int run_sdiag(const Invocation& call, Streams& streams);
int run_sreport(const Invocation& call, Streams& streams);
int run_sshare(const Invocation& call, Streams& streams);
int run_seff(const Invocation& call, Streams& streams);
int run_sstat(const Invocation& call, Streams& streams);
int run_sacct(const Invocation& call, Streams& streams);

}  // namespace berth::slurm
