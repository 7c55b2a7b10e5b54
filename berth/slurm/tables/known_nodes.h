// Whether the nodes that a command's filter names exist.
#pragma once

#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// False: one does not, which is said, and as advice which nodes there are.
bool are_known(Client& client, const Invocation& call, const std::vector<std::string>& nodes,
               Streams& streams);

// The same lines for one name that the controller does not know. Empty: advice is off.
std::string advice_on_unknown_node(Client& client, const Invocation& call, const std::string& name);

// "squeue: did you mean gpu12?\n", else "squeue: the nodes are gpu[1-16]\n".
std::string advice_on_node(const Invocation& call, const std::string& name,
                           const std::vector<std::string>& nodes);

}  // namespace berth::slurm
