#include "berth/host/shepherd/checkpoint_watch.h"

#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "berth/host/shepherd/become_user.h"

namespace berth {
namespace {

constexpr std::chrono::milliseconds kLookEvery{100};
constexpr std::chrono::milliseconds kLastLook{2000};  // Takes no longer, or is not waited for.
constexpr int kFound = 0, kNotFound = 1, kCannotLook = 2;
constexpr int kLastLookSignal = SIGUSR1;

sigset_t last_look_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, kLastLookSignal);
    return set;
}

std::chrono::milliseconds steady_now() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::milliseconds(now.tv_nsec / 1'000'000);
}

std::optional<SeenFile> look_at(const std::string& path) {
    struct stat found{};
    if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_size == 0)
        return std::nullopt;
    return SeenFile{
        found.st_dev, found.st_ino, found.st_size, {found.st_mtim.tv_sec, found.st_mtim.tv_nsec}};
}

// Of a file system that keeps whole seconds, one within that of the warning counts.
bool is_later(WallMoment changed, WallMoment warned) {
    if (changed.nanoseconds == 0) warned.nanoseconds = 0;
    return changed >= warned;
}

// A parent that has died meanwhile sends no signal any more.
[[noreturn]] void be_the_watch(const RunSpec& run, WallMoment warned, int parent) {
    ::close_range(STDERR_FILENO + 1, ~0U, 0);  // The run's lock, and what srun waits on.
    if (const Status is_user = become_user(run); !is_user.ok()) {
        std::fprintf(stderr, "berth-step: checkpoint: %s\n", is_user.error().message.c_str());
        ::_exit(kCannotLook);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    CheckpointTest test(warned);
    const sigset_t told = last_look_signals();  // Blocked since before the fork.
    const timespec wait{0, std::chrono::nanoseconds(kLookEvery).count()};
    bool is_last = false;
    siginfo_t from{};
    while (::getppid() == parent) {
        if (test.is_complete(look_at(run.checkpoint), steady_now())) ::_exit(kFound);
        if (is_last) ::_exit(test.is_new() ? kFound : kNotFound);
        // Processes of the user may send it, too.
        is_last = ::sigtimedwait(&told, &from, &wait) == kLastLookSignal && from.si_pid == parent;
    }
    ::_exit(kCannotLook);
}

}  // namespace

bool CheckpointTest::is_complete(const std::optional<SeenFile>& file,
                                 std::chrono::milliseconds now) {
    if (!std::exchange(looked_, true)) first_ = file;
    const bool is_new = file && (is_later(file->changed, warned_) || file != first_);
    if (!is_new) {
        last_.reset();
        return false;
    }
    if (file != last_) {
        last_ = file;
        since_ = now;
    }
    return now - since_ >= kCheckpointRests;
}

void CheckpointWatch::look(const RunDirectory& folder, const RunSpec& run) {
    if (over_ || pid_ != 0 || run.checkpoint.empty()) return;
    const auto warned = folder.checkpoint_asked();
    if (!warned) return;
    const int parent = ::getpid();
    const sigset_t told = last_look_signals();
    sigset_t before;
    ::sigprocmask(SIG_BLOCK, &told, &before);
    const int child = ::fork();
    if (child == 0) be_the_watch(run, *warned, parent);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (child > 0) pid_ = child;  // Without it, the next time that the shepherd is woken.
}

bool CheckpointWatch::take_end(int pid, int wait_status, const RunDirectory& folder) {
    if (!is(pid)) return false;
    pid_ = 0;
    if (!WIFEXITED(wait_status) || over_) return true;  // Killed: look() starts it again.
    over_ = true;
    if (WEXITSTATUS(wait_status) != kFound) return true;
    if (const Status told = folder.tell_checkpoint(); !told.ok())
        std::fprintf(stderr, "berth-step: %s\n", told.error().message.c_str());
    return true;
}

void CheckpointWatch::end(const RunDirectory& folder, const RunSpec& run) {
    look(folder, run);  // It may have been warned a moment ago.
    for (const auto until = steady_now() + kLastLook; pid_ != 0 && steady_now() < until;) {
        ::kill(pid_, kLastLookSignal);  // Each time: one that the user sent may hide it.
        int wait_status = 0;
        const int ended = ::waitpid(pid_, &wait_status, WNOHANG);
        if (ended == pid_) take_end(ended, wait_status, folder);
        if (ended < 0 && errno != EINTR) break;
        const timespec moment{0, std::chrono::nanoseconds(kLookEvery).count() / 20};
        if (pid_ != 0) ::nanosleep(&moment, nullptr);
    }
    over_ = true;
    if (pid_ != 0) ::kill(pid_, SIGKILL);
}

}  // namespace berth
