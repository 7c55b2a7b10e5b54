// What the agent reports about the machine and itself.
#pragma once

#include "berth/agent/agent.h"

namespace berth {

// `found`: the hardware of the node; the rest is read from the kernel.
Result<AgentIdentity> identify(const NodeSpec& found);

// The kernel's boot id, which changes with each boot.
Result<std::string> boot_id();

// The folder of this program, which holds its companion programs.
std::string program_folder();

}  // namespace berth
