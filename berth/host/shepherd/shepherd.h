// Shepherd: starts the tasks of one run, stays with them even if the agent dies, and records how
// they ended.
#pragma once

#include <string>

#include "berth/host/shepherd/secure_peer.h"

namespace berth {

// The main function of berth-step, for the run in this folder. REQUIRES: the lock of the run is at
// kLockFd. `secure` is for steps whose srun is on another host: see needs_tls().
int shepherd_run(const std::string& run_folder, SecureSocket secure = nullptr);

// Whether this is the address of an srun on another host.
bool needs_tls(const std::string& io_address);

}  // namespace berth
