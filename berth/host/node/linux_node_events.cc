// How LinuxNode learns what happens to runs: files in their folders, shepherds that end, groups
// that become empty.
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "berth/agent/signals.h"
#include "berth/host/cgroup/run_meter.h"
#include "berth/host/node/linux_node_parts.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/process.h"

namespace berth {

namespace {

constexpr std::uint64_t kFoldersNumber = 1, kTimerNumber = 2, kPendingNumber = 3, kMpsNumber = 4;
constexpr std::chrono::milliseconds kLookFirst{2}, kLookMost{100};

// Not watched by inotify, whose instances may run out. Nothing more comes from a run that is over.
bool is_unwatched(const LinuxNodeParts::Run& run) { return run.watch < 0 && !run.over; }

void drain(int fd) {
    std::uint64_t count = 0;
    (void)!::read(fd, &count, sizeof count);
}

}  // namespace

void LinuxNodeParts::tell(AgentEvent event) {
    events.push_back(std::move(event));
    const std::uint64_t one = 1;
    (void)!::write(pending.get(), &one, sizeof one);
}

void LinuxNodeParts::watch_shepherd(const RunKey& key, Run& run) {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.u64 = ++next_number;
    by_number[next_number] = key;
    if (!run.shepherd ||
        ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, run.shepherd.get(), &wanted) != 0) {
        by_number.erase(next_number);
        shepherd_ended(key, run);
    }
}

void LinuxNodeParts::serve() {
    epoll_event ready[64];
    const int count = ::epoll_wait(epoll.get(), ready, 64, 0);
    for (int i = 0; i < count; ++i) {
        const std::uint64_t number = ready[i].data.u64;
        if (number == kFoldersNumber) {
            read_folder_changes();
        } else if (number == kTimerNumber) {
            drain(timer.get());
        } else if (number == kPendingNumber) {
            drain(pending.get());
        } else if (number == kMpsNumber) {
            mps_ended();
        } else if (const auto found = by_number.find(number); found != by_number.end()) {
            const RunKey key = found->second;
            by_number.erase(found);
            if (const auto run = runs.find(key); run != runs.end()) {
                shepherd_ended(key, run->second);
            }
        }
    }
    for (auto& [key, run] : runs) {
        if (is_unwatched(run)) refresh(key, run);
    }
    look_for_empty();
    remove_leftovers();
    drop_orphans();
    arm_timer();
}

void LinuxNodeParts::read_folder_changes() {
    alignas(inotify_event) char room[16 * 1024];
    for (;;) {
        const ssize_t got = ::read(folders.get(), room, sizeof room);
        if (got <= 0) return;
        for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
            const auto* change = reinterpret_cast<const inotify_event*>(room + at);
            at += sizeof *change + change->len;
            if ((change->mask & IN_Q_OVERFLOW) != 0) {
                for (auto& [key, run] : runs) refresh(key, run);
                continue;
            }
            const auto found = by_watch.find(change->wd);
            if (found == by_watch.end()) continue;
            const auto run = runs.find(found->second);
            if (run != runs.end()) refresh(run->first, run->second);
        }
    }
}

void LinuxNodeParts::shepherd_ended(const RunKey& key, Run& run) {
    if (run.child > 0) {
        int status = 0;
        ::waitpid(run.child, &status, 0);
        run.child = 0;
    }
    run.shepherd.reset();
    if (lives_on(key, run)) return;  // find_shepherd() looks again.
    run.gone = true;
    refresh(key, run);
    if (!run.over) {
        log.write(LogLevel::error, "host",
                  "the shepherd of " + text_of(key) + " is gone without word: ending what it left");
        CgroupTree::kill(run.group);
        run.empty_due = true;
    }
    reset_look = true;
}

// For a run without a cgroup: shepherd and guard have not both ended, and the live one ends what is
// left. If both were killed, nothing proves that the run's processes have ended.
bool LinuxNodeParts::lives_on(const RunKey& key, Run& run) {
    if (!run.group.none()) return false;
    if (run.folder.is_locked()) return true;
    if (!run.folder.has_processes()) return false;
    if (!std::exchange(run.unproved, true)) {
        log.write(LogLevel::error, "host",
                  "the shepherd of " + text_of(key) +
                      " and its guard were killed: what it started may live, so its devices stay "
                      "taken. Once nothing of the job runs, remove " +
                      run.folder.path() + "/processes");
    }
    refresh(key, run);
    return true;
}

// Reads what the shepherd has recorded, and reports what is new.
void LinuxNodeParts::refresh(const RunKey& key, Run& run) {
    if (run.over) return;
    if (!run.started_told) {
        const auto status = run.folder.status();
        if (status && !status->failure.empty()) {
            run.over = true;
            return tell(RunFailedToStart{key, status->failure, status->not_begun});
        }
        if (status) {
            run.started_told = true;
            tell(RunStarted{key});
        }
    }
    if (const auto end = run.folder.exit()) {
        run.over = run.empty_due = reset_look = true;
        measure_run(run);
        run.usage = highest(run.usage, end->usage);
        run.usage.rss = Bytes{};
        RunExited exited{key, end->exit, end->out_of_memory, run.usage};
        exited.failure = end->failure;
        exited.ended_at = end->ended_at;
        tell(std::move(exited));
    }
}

// Without cgroups a shepherd lives as long as any process of its run.
bool LinuxNodeParts::has_processes(const Run& run) const {
    return run.group.none() ? !run.gone : CgroupTree::populated(run.group);
}

void LinuxNodeParts::look_for_empty() {
    for (auto& [key, run] : runs) {
        find_shepherd(key, run);
        if (!run.empty_due || has_processes(run)) continue;
        // Its exit record is about to come and must be reported first.
        if (!run.over && !run.gone) continue;
        run.empty_due = false;
        if (!run.over) settle_vanished(key, run);
        tell(RunEmpty{key});
    }
    for (auto& [key, place] : places) {
        if (!place.empty_due) continue;
        bool busy = !place.group.none() && CgroupTree::populated(place.group);
        for (const auto& [run_key, run] : runs) {
            if (std::pair(run_key.job, run_key.attempt) != key || is_hook(run_key.step)) continue;
            busy = busy || has_processes(run) || (!run.over && !run.gone);
        }
        if (busy) continue;
        place.empty_due = false;
        tell(RunEmpty{{key.first, key.second, kExternStep}});
    }
}

// The shepherd was killed, and all processes of the run have ended by now.
void LinuxNodeParts::settle_vanished(const RunKey& key, Run& run) {
    run.over = true;
    if (run.started_told) return;
    const std::string log_text = run.folder.log_path();
    const auto said = read_file(log_text);
    tell(RunFailedToStart{
        key,
        "its shepherd ended before it started" + (said.ok() && !said->empty() ? ": " + *said : ""),
        NotBegun::for_node});
}

void LinuxNodeParts::remove_leftovers() {
    std::erase_if(leftovers, [&](const Place& place) {
        if (!place.group.none() && !confinement.remove(place.group).ok()) return false;
        if (Status removed = remove_tree(place.folder); !removed.ok()) {
            log.write(LogLevel::warning, "host", removed.error().message);
        }
        return true;
    });
    drop_mps();
}

void LinuxNodeParts::arm_timer() {
    const auto waits = [](const auto& one) { return one.second.empty_due; };
    const auto unseen = [](const auto& one) { return !one.second.gone && !one.second.shepherd; };
    const auto orphan = [](const auto& one) { return one.second.orphan; };
    const bool waiting =
        !leftovers.empty() || std::ranges::any_of(runs, waits) ||
        std::ranges::any_of(places, waits) || std::ranges::any_of(runs, unseen) ||
        std::ranges::any_of(places, orphan) ||
        std::ranges::any_of(runs, [](const auto& one) { return is_unwatched(one.second); });
    std::chrono::milliseconds next{0};
    if (waiting) {
        look_again = reset_look ? kLookFirst : std::min(look_again * 2, kLookMost);
        next = look_again = std::max(look_again, kLookFirst);
    }
    reset_look = false;
    itimerspec when{};
    when.it_value.tv_sec = next.count() / 1000;
    when.it_value.tv_nsec = next.count() % 1000 * 1'000'000;
    ::timerfd_settime(timer.get(), 0, &when, nullptr);
}

}  // namespace berth
