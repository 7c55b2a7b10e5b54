#include "berth/host/shepherd/guard.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "berth/host/os/file_io.h"
#include "berth/host/os/process.h"
#include "berth/host/os/process_limit.h"

namespace berth {
namespace {

constexpr useconds_t kFirstPause = 1000, kLongestPause = 100'000;

int code_of(int wait_status) { return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 1; }

// Waits for the end of the shepherd. Other children that end meanwhile are not of this run: the
// shepherd adopts those.
int wait_for(pid_t shepherd) {
    int status = 0;
    for (;;) {
        const pid_t ended = ::waitpid(-1, &status, 0);
        if (ended == shepherd) return code_of(status);
        if (ended < 0 && errno != EINTR) return 1;
    }
}

// The guard adopts what the shepherd has left and their descendants in turn: once it has no child,
// nothing of the run is left.
void end_all() {
    for (useconds_t pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
        pid_t ended = 0;
        while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
        }
        if (ended < 0 && errno == ECHILD) return;
        signal_each([] { return descendants_of(::getpid()); }, SIGKILL);
        ::usleep(pause);
    }
}

}  // namespace

Status begin_guarded(const RunDirectory& folder) {
    const pid_t shepherd = ::fork();
    if (shepherd < 0) return process_error("cannot fork", errno);
    if (shepherd > 0) {
        const int code = wait_for(shepherd);
        end_all();
        folder.say_no_processes();
        ::_exit(code);
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const auto self = mark_of(::getpid());
    if (!self) return Error{ErrorCode::internal, "cannot read /proc/self/stat"};
    BERTH_CHECK(folder.tell_shepherd(*self));
    // Not before: of a guard that is killed without a shepherd nothing is left.
    return folder.say_processes();
}

}  // namespace berth
