#include "berth/server/peer.h"

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

constexpr std::chrono::seconds kNamesKept{60};
constexpr std::size_t kNamesMax = 10'000;
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

Role role_of(const Principal& principal, const std::vector<std::string>& operators) {
    if (principal.uid == 0 || principal.uid == ::geteuid()) return Role::admin;
    return std::ranges::find(operators, principal.user) == operators.end() ? Role::user : Role::op;
}

Principal PeerNames::principal_of(PeerIds ids) {
    const auto now = std::chrono::steady_clock::now();
    const auto kept = [&](std::map<std::uint32_t, Known>& names, std::uint32_t id, auto ask) {
        {
            const std::lock_guard lock(mutex_);
            const auto found = names.find(id);
            if (found != names.end() && found->second.until > now) return found->second.name;
        }
        std::string name = ask().value_or(std::to_string(id));
        const std::lock_guard lock(mutex_);
        if (names.size() >= kNamesMax) names.clear();
        names[id] = {name, now + kNamesKept};
        return name;
    };
    Principal principal{.uid = ids.uid, .gid = ids.gid};
    principal.user = kept(users_, ids.uid, [&] {
        return look_up<passwd>(
            [&](passwd* entry, char* room, std::size_t size, passwd** found) {
                return ::getpwuid_r(ids.uid, entry, room, size, found);
            },
            &passwd::pw_name);
    });
    principal.group = kept(groups_, ids.gid, [&] {
        return look_up<group>(
            [&](group* entry, char* room, std::size_t size, group** found) {
                return ::getgrgid_r(ids.gid, entry, room, size, found);
            },
            &group::gr_name);
    });
    return principal;
}

}  // namespace berth
