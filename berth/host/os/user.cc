#include "berth/host/os/user.h"

#include <grp.h>
#include <pwd.h>

#include <cerrno>
#include <vector>

#include "berth/host/os/file_io.h"

namespace berth {

Result<UserRecord> find_user(std::uint32_t uid) {
    std::vector<char> room(16 * 1024);
    passwd entry{};
    passwd* found = nullptr;
    int failed = 0;
    while ((failed = ::getpwuid_r(uid, &entry, room.data(), room.size(), &found)) == ERANGE) {
        room.resize(room.size() * 2);
    }
    if (failed != 0) return system_error("cannot look up uid " + std::to_string(uid), failed);
    if (found == nullptr) {
        return Error{ErrorCode::not_found,
                     "uid " + std::to_string(uid) + " is not known on this node"};
    }
    UserRecord user;
    user.uid = found->pw_uid;
    user.gid = found->pw_gid;
    user.name = found->pw_name;
    user.home = found->pw_dir;
    user.shell = found->pw_shell;
    return user;
}

std::vector<gid_t> group_ids_of(const std::string& user, gid_t gid) {
    std::vector<gid_t> groups(64);
    int count = static_cast<int>(groups.size());
    while (::getgrouplist(user.c_str(), gid, groups.data(), &count) < 0)
        groups.resize(static_cast<std::size_t>(count));
    groups.resize(static_cast<std::size_t>(count));
    return groups;
}

}  // namespace berth
