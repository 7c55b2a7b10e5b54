// Whether a connection stays on this host.
#pragma once

namespace berth {

// Whether the other end of this connection is this very host, by a Unix socket or its loopback
// interface: the one case in which nobody else can listen, and nothing needs to be hidden.
bool is_from_here(int socket);

}  // namespace berth
