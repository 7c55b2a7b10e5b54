#include "berth/host/shepherd/become_user.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "berth/host/os/file_io.h"
#include "berth/host/os/user.h"

namespace berth {
namespace {

Status dropped(bool right, const std::string& what) {
    if (right) return Done{};
    return system_error(what, errno);
}

// The C library's functions of these names have all threads of the process change. It would wait
// for threads that this process had before clone3(), of which the library has not heard: a
// sanitizer has one. So these are the system calls themselves.
bool set_groups(const std::vector<gid_t>& groups) {
    return ::syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}
bool set_group(gid_t gid) { return ::syscall(SYS_setresgid, gid, gid, gid) == 0; }
bool set_user(uid_t real, uid_t effective, uid_t saved) {
    return ::syscall(SYS_setresuid, real, effective, saved) == 0;
}

}  // namespace

Status become_user(const RunSpec& run) {
    const uid_t uid = run.uid;
    const gid_t gid = run.gid;
    const bool by_root = ::geteuid() == 0;
    if (by_root) {
        BERTH_CHECK(dropped(set_groups(group_ids_of(run.user, gid)),
                            "cannot take the groups of user " + run.user));
        BERTH_CHECK(dropped(set_group(gid), "cannot become group " + std::to_string(gid)));
        BERTH_CHECK(dropped(set_user(uid, uid, uid), "cannot become user " + run.user));
    }
    uid_t real = 0, effective = 0, saved = 0;
    gid_t real_group = 0, effective_group = 0, saved_group = 0;
    ::getresuid(&real, &effective, &saved);
    ::getresgid(&real_group, &effective_group, &saved_group);
    if (real != uid || effective != uid || saved != uid) {
        return Error{ErrorCode::permission_denied, "still not user " + run.user + " alone"};
    }
    if (by_root && (real_group != gid || effective_group != gid || saved_group != gid)) {
        return Error{ErrorCode::permission_denied,
                     "still not group " + std::to_string(gid) + " alone"};
    }
    constexpr uid_t kKept = static_cast<uid_t>(-1);
    if (uid != 0 && (set_user(0, 0, 0) || set_user(kKept, 0, kKept))) {
        return Error{ErrorCode::permission_denied, "could become root again"};
    }
    return Done{};
}

}  // namespace berth
