// Peer: the user at the other end of a connection: ids from the kernel, names from the system.
#pragma once

#include <optional>
#include <string>

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"
#include "berth/model/principal.h"

namespace berth {

struct PeerIds {
    std::uint32_t uid = 0, gid = 0;
    std::int32_t pid = 0;
};

// The peer of a connected Unix socket when it connected (SO_PEERCRED).
Result<PeerIds> peer_of(int socket);

// From the system's list of users; nullopt: there is no such user.
std::optional<PeerIds> ids_of_user(const std::string& name);

// root, SlurmUser and the user that this process runs as are administrators.
Role role_of(const Principal& principal, const ClusterSpec& spec);

// The names of these ids, and all groups of the user; the number itself if there is no name. May be
// slow: see peer_names.h.
Principal ask_system(PeerIds ids);

}  // namespace berth
