// Unix sockets between our own processes: listening, connecting, and who is at the other end.
#pragma once

#include <cstdint>
#include <string>

#include "berth/base/result.h"

namespace berth {

// "unix:/run/berth/agents" -> the path. Refuses every other kind of address, and a path that is too
// long for a socket.
Result<std::string> unix_path(const std::string& address);

// A listening socket that only its owner and root may connect to. A file left by a process that is
// gone is replaced; one that somebody listens on is not.
Result<int> listen_on(const std::string& path);

Result<int> connect_to(const std::string& path);

// As the kernel knows it.
Result<std::uint32_t> peer_uid(int socket);

}  // namespace berth
