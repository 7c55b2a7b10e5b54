// scontrol reboot and cancel_reboot.
#pragma once

#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/command.h"

namespace berth::slurm {

// reboot [ASAP] [nextstate=RESUME|DOWN] [reason=…] NODES
int reboot_nodes(Client& client, const std::vector<std::string>& words, Streams& streams);
// cancel_reboot NODES
int cancel_reboot(Client& client, const std::vector<std::string>& words, Streams& streams);

}  // namespace berth::slurm
