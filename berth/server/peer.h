// Who is at the other end of a connection: a number from the kernel, names from the system.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/principal.h"

namespace berth {

struct PeerIds {
    std::uint32_t uid = 0, gid = 0;
    std::int32_t pid = 0;
};

// Of a connected Unix socket (SO_PEERCRED): who had the other end when it connected.
Result<PeerIds> peer_of(int socket);

// As the system's list of users has it. nullopt: there is no such user.
std::optional<PeerIds> ids_of_user(const std::string& name);

// root and the user that this process runs as are administrators; `operators` are user names.
Role role_of(const Principal& principal, const std::vector<std::string>& operators);

// Names of users and groups, asked of the system once a minute at most: it may be slow.
class PeerNames {
public:
    // The number itself where there is no name.
    Principal principal_of(PeerIds ids);

private:
    struct Known {
        std::string name;
        std::chrono::steady_clock::time_point until;
    };
    std::mutex mutex_;
    std::map<std::uint32_t, Known> users_, groups_;
};

}  // namespace berth
