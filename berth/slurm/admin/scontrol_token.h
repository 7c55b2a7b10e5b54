// scontrol token: prints the SLURM_JWT for commands on other hosts.
#pragma once

#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// token [lifespan=SECONDS|infinite] [username=USER]
int print_token(Client& client, const std::vector<std::string>& words, Streams& streams);

}  // namespace berth::slurm
