// scontrol reboot and cancel_reboot; create and delete of dynamic nodes.
#pragma once

#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// reboot [ASAP] [nextstate=RESUME|DOWN] [reason=…] NODES
int reboot_nodes(Client& client, const std::vector<std::string>& words, Streams& streams);
// cancel_reboot NODES
int cancel_reboot(Client& client, const std::vector<std::string>& words, Streams& streams);

// "NodeName=d[1-4]" among the words; empty: there is none.
std::string node_named(const std::vector<std::string>& words);
// create NodeName=LIST State=CLOUD|FUTURE CPUs=… RealMemory=… Gres=… Feature=… …
int create_nodes(Client& client, const std::vector<std::string>& words, Streams& streams);
// delete NodeName=LIST
int delete_nodes(Client& client, const std::vector<std::string>& words, Streams& streams);

}  // namespace berth::slurm
