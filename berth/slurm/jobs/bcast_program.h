// srun --bcast: the step runs a copy of the program on its nodes.
#pragma once

#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/jobs/sbcast_script.h"
#include "berth/slurm/options/job_draft.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// Copies the program to the job's nodes. The command that runs the copy there, or what is wrong.
Result<std::vector<std::string>> broadcast_program(const Invocation& call, Client& client,
                                                   Streams& streams, const JobDraft& draft,
                                                   const std::string& job,
                                                   std::vector<std::string> command);

// As the shell would look for it, from `folder`; empty: nowhere.
std::string find_program(const std::string& program, const Invocation& call,
                         const std::string& folder);

// The command that runs what was copied by `file`.
std::vector<std::string> command_of_copy(const BroadcastFile& file, bool has_libraries,
                                         std::vector<std::string> command);

}  // namespace berth::slurm
