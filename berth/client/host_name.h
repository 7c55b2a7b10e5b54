// HostName: what this machine is called.
#pragma once

#include <string>

namespace berth {

// The first part of its name, by which Slurm's files call it; "localhost" without one.
std::string short_host_name();

}  // namespace berth
