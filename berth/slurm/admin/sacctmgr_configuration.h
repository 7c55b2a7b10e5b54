// sacctmgr show configuration and show runawayjobs.
#pragma once

#include "berth/client/client.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// What of the configuration concerns accounting, in Slurm's lines.
int show_configuration(Client& client, Streams& streams);

// There are none: a job's end and its accounting are one record.
int show_runaway_jobs(Client& client, Streams& streams);

}  // namespace berth::slurm
