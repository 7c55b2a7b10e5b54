// --test-only: asks when and where a job would start, and says so in Slurm's words.
#pragma once

#include "berth/client/client.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// Prints the answer on streams.err, unless `quiet`. Returns the exit code: 0 if the job has a
// start.
int report_test(const Invocation& call, Streams& streams, Client& client,
                const api::SubmitRequest& request, bool quiet);

}  // namespace berth::slurm
