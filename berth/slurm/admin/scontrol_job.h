// scontrol's verbs for jobs that need more than one call: wait_job, write batch_script, completing,
// top, notify.
#pragma once

#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// Each takes the words of the command line, and returns scontrol's exit code.
int wait_for_job(Client& client, const std::vector<std::string>& words, Streams& streams);
int write_script(Client& client, const std::vector<std::string>& words, Streams& streams);
int show_completing(Client& client, Streams& streams);
int put_on_top(Client& client, const std::vector<std::string>& words, Streams& streams);
int notify_job(Client& client, const std::vector<std::string>& words, Streams& streams);

}  // namespace berth::slurm
