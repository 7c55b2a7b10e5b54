#include "berth/host/node/run_watcher.h"

#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "berth/base/text.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

constexpr std::uint64_t kFoldersNumber = 1, kTimerNumber = 2, kEventsNumber = 3, kMpsNumber = 4;
constexpr std::chrono::milliseconds kLookFirst{2}, kLookMost{100};
constexpr const char* kInotifyMost = "/proc/sys/fs/inotify/max_user_instances";

}  // namespace

Status RunWatcher::open(LogSink& log, int events, int mps) {
    epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    folders_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!folders_) {  // For example with many nodes on one machine; the run folders are then
                      // polled.
        log.write(LogLevel::warning, "host",
                  "jobs' ends are noticed up to 0.1 s late: this user has as many inotify "
                  "instances as fs.inotify.max_user_instances allows (" +
                      std::string(trim(read_file(kInotifyMost).value_or("?"))) +
                      "): raise it by sysctl");
    }
    if (!epoll_ || !timer_) {
        return system_error("cannot make the descriptors to watch jobs with", errno);
    }
    for (const int one : {folders_.get(), timer_.get(), events, mps}) {
        epoll_event wanted{};
        wanted.events = EPOLLIN;
        wanted.data.u64 = ++next_number_;
        if (one >= 0 && ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, one, &wanted) != 0) {
            return system_error("epoll_ctl", errno);
        }
    }
    return Done{};
}

int RunWatcher::watch_folder(const RunKey& run, const std::string& folder) {
    const int watch = ::inotify_add_watch(folders_.get(), folder.c_str(), IN_MOVED_TO);
    if (watch >= 0) by_watch_[watch] = run;
    return watch;
}

bool RunWatcher::watch_shepherd(const RunKey& run, const UniqueFd& shepherd) {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.u64 = ++next_number_;
    by_number_[next_number_] = run;
    const bool watched =
        shepherd && ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, shepherd.get(), &wanted) == 0;
    if (!watched) by_number_.erase(next_number_);
    return watched;
}

void RunWatcher::forget(const RunKey& run, int watch) {
    if (watch >= 0) {
        ::inotify_rm_watch(folders_.get(), watch);
        by_watch_.erase(watch);
    }
    std::erase_if(by_number_, [&](const auto& one) { return one.second == run; });
}

std::vector<RunWatcher::Change> RunWatcher::take_changes() {
    std::vector<Change> changes;
    epoll_event ready[64];
    const int count = ::epoll_wait(epoll_.get(), ready, 64, 0);
    for (int i = 0; i < count; ++i) {
        const std::uint64_t number = ready[i].data.u64;
        if (number == kFoldersNumber) {
            read_folder_changes(changes);
        } else if (number == kTimerNumber) {
            std::uint64_t expirations = 0;
            (void)!::read(timer_.get(), &expirations, sizeof expirations);
        } else if (number == kEventsNumber) {
            changes.push_back({Change::What::event, {}});
        } else if (number == kMpsNumber) {
            changes.push_back({Change::What::mps, {}});
        } else if (const auto found = by_number_.find(number); found != by_number_.end()) {
            changes.push_back({Change::What::shepherd_ended, found->second});
            by_number_.erase(found);
        }
    }
    return changes;
}

void RunWatcher::read_folder_changes(std::vector<Change>& changes) {
    alignas(inotify_event) char room[16 * 1024];
    for (;;) {
        const ssize_t got = ::read(folders_.get(), room, sizeof room);
        if (got <= 0) return;
        for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
            const auto* change = reinterpret_cast<const inotify_event*>(room + at);
            at += sizeof *change + change->len;
            if ((change->mask & IN_Q_OVERFLOW) != 0) {
                changes.push_back({Change::What::any_folder, {}});
                continue;
            }
            const auto found = by_watch_.find(change->wd);
            if (found != by_watch_.end()) changes.push_back({Change::What::folder, found->second});
        }
    }
}

void RunWatcher::arm(bool to_look_again) {
    std::chrono::milliseconds next{0};
    if (to_look_again) {
        interval_ = look_soon_ ? kLookFirst : std::min(interval_ * 2, kLookMost);
        next = interval_ = std::max(interval_, kLookFirst);
    }
    look_soon_ = false;
    itimerspec when{};
    when.it_value.tv_sec = next.count() / 1000;
    when.it_value.tv_nsec = next.count() % 1000 * 1'000'000;
    ::timerfd_settime(timer_.get(), 0, &when, nullptr);
}

}  // namespace berth
