// Shepherd: starts the tasks of one run, stays with them whatever becomes of the agent, and leaves
// word of how they ended.
#pragma once

#include <string>

#include "berth/host/shepherd/secure_peer.h"

namespace berth {

// The whole life of the program berth-step, for the run in this folder. Its lock is at kLockFd.
// `secure` is for steps whose srun is on another host: see needs_tls().
int shepherd_run(const std::string& run_folder, SecureSocket secure = nullptr);

// Whether this is the address of an srun on another host.
bool needs_tls(const std::string& io_address);

}  // namespace berth
