#include "berth/server/auth/peer.h"

#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

namespace berth {
namespace {

constexpr std::size_t kGroupsMax = 65'536;  // The kernel's own limit.
constexpr std::size_t kEntryBytesMax = 1 << 20;

// Calls one of the system's look-ups with as much room as its entry takes.
template <class Entry, class LookUp>
std::optional<std::string> look_up(LookUp call, char* Entry::* name) {
    std::vector<char> room(4096);
    for (;;) {
        Entry entry{};
        Entry* found = nullptr;
        const int error = call(&entry, room.data(), room.size(), &found);
        if (error == ERANGE && room.size() < kEntryBytesMax) {
            room.resize(room.size() * 2);
            continue;
        }
        if (error != 0 || found == nullptr) return std::nullopt;
        return std::string(found->*name);
    }
}

}  // namespace

std::optional<PeerIds> ids_of_user(const std::string& name) {
    std::vector<char> room(16 * 1024);
    passwd entry{};
    passwd* found = nullptr;
    while (::getpwnam_r(name.c_str(), &entry, room.data(), room.size(), &found) == ERANGE &&
           room.size() < kEntryBytesMax) {
        room.resize(room.size() * 2);
    }
    if (found == nullptr) return std::nullopt;
    return PeerIds{.uid = entry.pw_uid, .gid = entry.pw_gid};
}

Result<PeerIds> peer_of(int socket) {
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
        return Error{ErrorCode::unavailable,
                     std::string("the kernel does not say who connected: ") + std::strerror(errno)};
    }
    return PeerIds{credentials.uid, credentials.gid, credentials.pid};
}

Role role_of(const Principal& principal, const ClusterSpec& spec) {
    if (principal.uid == 0 || principal.uid == ::geteuid()) return Role::admin;
    if (!spec.slurm_user.empty() && principal.user == spec.slurm_user) return Role::admin;
    return std::ranges::find(spec.operators, principal.user) == spec.operators.end() ? Role::user
                                                                                     : Role::op;
}

namespace {

std::optional<std::string> name_of_user(std::uint32_t uid) {
    return look_up<passwd>(
        [&](passwd* entry, char* room, std::size_t size, passwd** found) {
            return ::getpwuid_r(uid, entry, room, size, found);
        },
        &passwd::pw_name);
}

std::string name_of_group(std::uint32_t gid) {
    return look_up<group>(
               [&](group* entry, char* room, std::size_t size, group** found) {
                   return ::getgrgid_r(gid, entry, room, size, found);
               },
               &group::gr_name)
        .value_or(std::to_string(gid));
}

std::vector<std::string> groups_of(const std::string& user, std::uint32_t gid) {
    std::vector<gid_t> ids(64);
    int count = static_cast<int>(ids.size());
    while (::getgrouplist(user.c_str(), gid, ids.data(), &count) < 0) {
        if (count > static_cast<int>(kGroupsMax)) return {};
        ids.resize(std::max(ids.size() * 2, static_cast<std::size_t>(count)));
        count = static_cast<int>(ids.size());
    }
    ids.resize(static_cast<std::size_t>(count));
    std::vector<std::string> names;
    names.reserve(ids.size());
    for (const gid_t id : ids) names.push_back(name_of_group(id));
    return names;
}

}  // namespace

Principal ask_system(PeerIds ids) {
    Principal principal{.uid = ids.uid, .gid = ids.gid};
    const std::optional<std::string> user = name_of_user(ids.uid);
    principal.user = user.value_or(std::to_string(ids.uid));
    principal.group = name_of_group(ids.gid);
    if (user) principal.groups = groups_of(*user, ids.gid);
    return principal;
}

}  // namespace berth
