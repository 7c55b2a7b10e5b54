// What the agent tells of the machine and of itself.
#pragma once

#include "berth/agent/agent.h"

namespace berth {

// `found`: what is there of the node; the rest is read from the kernel.
Result<AgentIdentity> identify(const NodeSpec& found);

// As the kernel calls it: another one after each boot.
Result<std::string> boot_id();

// The folder of this program, where its companions lie.
std::string program_folder();

}  // namespace berth
