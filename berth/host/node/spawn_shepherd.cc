#include "berth/host/node/spawn_shepherd.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

#include "berth/host/os/process_limit.h"

namespace berth {
namespace {

// Everything that posix_spawn needs; released at the end.
struct SpawnPlan {
    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};
    SpawnPlan() {
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawnattr_init(&attributes);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan() {
        ::posix_spawn_file_actions_destroy(&files);
        ::posix_spawnattr_destroy(&attributes);
    }
};

}  // namespace

Result<int> spawn_shepherd(std::string program, const RunDirectory& run, UniqueFd lock) {
    SpawnPlan plan;
    const std::string log_path = run.log_path();
    ::posix_spawn_file_actions_addopen(&plan.files, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&plan.files, 1, log_path.c_str(),
                                       O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::posix_spawn_file_actions_adddup2(&plan.files, 1, 2);
    const UniqueFd high(
        ::fcntl(lock.get(), F_DUPFD_CLOEXEC, kLockFd + 1));  // Never kLockFd itself.
    ::posix_spawn_file_actions_adddup2(&plan.files, high.get(), kLockFd);
    ::posix_spawn_file_actions_addclosefrom_np(&plan.files, kLockFd + 1);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&plan.attributes, &all);
    ::posix_spawnattr_setsigmask(&plan.attributes, &none);
    ::posix_spawnattr_setflags(&plan.attributes,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    std::string folder = run.path(), path = "PATH=/usr/bin:/bin";
    char* arguments[] = {program.data(), folder.data(), nullptr};
    char* environment[] = {path.data(), nullptr};
    pid_t child = 0;
    const int failed = ::posix_spawn(&child, program.c_str(), &plan.files, &plan.attributes,
                                     arguments, environment);
    if (failed != 0) return process_error("cannot start " + program, failed);
    return child;
}

}  // namespace berth
