#include "berth/host/node/live_runs.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "berth/agent/signals.h"
#include "berth/host/cgroup/run_meter.h"
#include "berth/host/node/spawn_shepherd.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/process.h"

namespace berth {
namespace {

// Not watched by inotify, whose instances may run out. Nothing more comes from a run that is over.
bool is_unwatched(const LiveRun& run) { return run.watch < 0 && !run.over; }

// Without cgroups a shepherd lives as long as any process of its run.
bool has_processes(const LiveRun& run) {
    return run.group.none() ? !run.gone : CgroupTree::populated(run.group);
}

bool is_of_job(const RunKey& key, const AttemptKey& attempt) {
    return attempt_of(key) == attempt && !is_hook(key.step);
}

void signal_run(const LiveRun& run, int signal) {
    if (!run.group.none()) {
        if (signal == SIGKILL) return CgroupTree::kill(run.group);
        return CgroupTree::signal(run.group, signal);
    }
    const auto shepherd = run.folder.shepherd();
    if (run.gone || !shepherd || mark_of(shepherd->pid) != shepherd) return;
    signal_each([&] { return descendants_of(shepherd->pid); }, signal);
}

// The usage never decreases, even when the processes that caused it have ended.
void measure_run(LiveRun& run) {
    std::vector<int> processes;
    if (!run.group.none()) {
        processes = CgroupTree::processes(run.group);
    } else if (const auto shepherd = run.folder.shepherd();
               shepherd && mark_of(shepherd->pid) == shepherd) {
        processes = descendants_of(shepherd->pid);
    }
    const RunUsage now = measure(run.group, processes);
    run.usage = highest(run.usage, now);
    run.usage.rss = now.rss;
}

// "2026-11-24T17:10:37"
std::string local_time(Time at) {
    const std::time_t seconds =
        std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
    std::tm civil{};
    localtime_r(&seconds, &civil);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &civil)};
}

}  // namespace

// ---- Begin and end of what is known of a run.

Status LiveRuns::start(const RunKey& key, const RunDirectory& folder, const Cgroup& group,
                       UniqueFd lock, const std::string& shepherd) {
    LiveRun run;
    run.folder = folder;
    run.group = group;
    run.watch = watcher_.watch_folder(key, folder.path());
    if (run.watch < 0 && watcher_.watches_folders()) {
        log_.write(LogLevel::warning, "host",
                   system_error("cannot watch " + folder.path(), errno).message +
                       ": it is looked at by time; fs.inotify.max_user_watches may be too low");
    }
    Result<int> child = spawn_shepherd(shepherd, folder, std::move(lock));
    if (!child.ok()) return child.error();
    run.child = *child;
    if (const auto mark = mark_of(run.child)) run.shepherd = open_process(*mark);
    LiveRun& kept = runs_[key] = std::move(run);
    watch_shepherd(key, kept);
    return Done{};
}

// Checks whether the run lives before its exit record is read. A run that ends in between is then
// found both alive and ended, never neither.
bool LiveRuns::adopt(const RunKey& key, const RunDirectory& folder, const Cgroup& group) {
    LiveRun run;
    run.folder = folder;
    run.group = group;
    run.watch = watcher_.watch_folder(key, folder.path());
    const bool has_shepherd = folder.is_locked();
    const bool has_tasks =
        run.group.none() ? folder.has_processes() : CgroupTree::populated(run.group);
    run.gone = !has_shepherd && (!has_tasks || !run.group.none());
    // The agent knows that a live run has started; a run that failed to start will be reported.
    const auto status = folder.status();
    run.started_told = status && status->failure.empty();
    LiveRun& kept = runs_[key] = std::move(run);
    refresh(key, kept);
    if (has_shepherd) {
        find_shepherd(key, kept);
    } else if (has_tasks && !kept.over) {
        shepherd_ended(key, kept);
    }
    return has_shepherd || has_tasks;
}

void LiveRuns::forget(const RunKey& key) {
    const auto run = runs_.find(key);
    if (run == runs_.end()) return;
    watcher_.forget(key, run->second.watch);
    if (run->second.child > 0) leaving_.push_back(run->second.child);
    runs_.erase(run);
}

void LiveRuns::forget_all(const AttemptKey& attempt) {
    std::vector<RunKey> own;
    for (const auto& [key, run] : runs_) {
        if (attempt_of(key) == attempt) own.push_back(key);
    }
    for (const RunKey& key : own) forget(key);
}

// ---- What has changed.

void LiveRuns::on_folder_changed(const RunKey& key) {
    if (const auto run = runs_.find(key); run != runs_.end()) refresh(key, run->second);
}

void LiveRuns::on_any_folder_changed() {
    for (auto& [key, run] : runs_) refresh(key, run);
}

void LiveRuns::on_shepherd_ended(const RunKey& key) {
    if (const auto run = runs_.find(key); run != runs_.end()) shepherd_ended(key, run->second);
}

void LiveRuns::look_again() {
    std::erase_if(leaving_, [](int child) { return ::waitpid(child, nullptr, WNOHANG) != 0; });
    for (auto& [key, run] : runs_) {
        if (is_unwatched(run)) refresh(key, run);
    }
    for (auto& [key, run] : runs_) {
        find_shepherd(key, run);
        if (!run.empty_due || has_processes(run)) continue;
        // Its exit record is about to come and must be reported first.
        if (!run.over && !run.gone) continue;
        run.empty_due = false;
        if (!run.over) settle_vanished(key, run);
        events_.tell(RunEmpty{key});
    }
}

bool LiveRuns::is_to_look_again() const {
    return !leaving_.empty() || std::ranges::any_of(runs_, [](const auto& one) {
        const LiveRun& run = one.second;
        return run.empty_due || (!run.gone && !run.shepherd) || is_unwatched(run);
    });
}

void LiveRuns::measure_all() {
    UsageRead all;
    for (auto& [key, run] : runs_) {
        if (run.over || !run.started_told || is_hook(key.step)) continue;
        if (run.usage.tasks == 0) {
            const auto status = run.folder.status();
            run.usage.tasks = status ? static_cast<std::uint32_t>(status->tasks.size()) : 1;
        }
        measure_run(run);
        all.runs.push_back({key.job, key.attempt, key.step, run.usage});
    }
    if (!all.runs.empty()) events_.tell(std::move(all));
}

// A shepherd that has its lock may not have recorded its process yet.
void LiveRuns::find_shepherd(const RunKey& key, LiveRun& run) {
    if (run.gone || run.shepherd) return;
    if (const auto mark = run.folder.shepherd()) run.shepherd = open_process(*mark);
    if (run.shepherd) {
        watch_shepherd(key, run);
    } else if (!run.folder.is_locked()) {
        shepherd_ended(key, run);
    }
}

void LiveRuns::watch_shepherd(const RunKey& key, LiveRun& run) {
    if (!watcher_.watch_shepherd(key, run.shepherd)) shepherd_ended(key, run);
}

void LiveRuns::shepherd_ended(const RunKey& key, LiveRun& run) {
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
        log_.write(
            LogLevel::error, "host",
            "the shepherd of " + text_of(key) + " is gone without word: ending what it left");
        CgroupTree::kill(run.group);
        run.empty_due = true;
    }
    watcher_.look_soon();
}

// For a run without a cgroup: shepherd and guard have not both ended, and the live one ends what is
// left. If both were killed, nothing proves that the run's processes have ended.
bool LiveRuns::lives_on(const RunKey& key, LiveRun& run) {
    if (!run.group.none()) return false;
    if (run.folder.is_locked()) return true;
    if (!run.folder.has_processes()) return false;
    if (!std::exchange(run.unproved, true)) {
        log_.write(LogLevel::error, "host",
                   "the shepherd of " + text_of(key) +
                       " and its guard were killed: what it started may live, so its devices stay "
                       "taken. Once nothing of the job runs, remove " +
                       run.folder.path() + "/processes");
    }
    refresh(key, run);
    return true;
}

// Reads what the shepherd has recorded, and reports what is new.
void LiveRuns::refresh(const RunKey& key, LiveRun& run) {
    if (run.over) return;
    if (!run.started_told) {
        const auto status = run.folder.status();
        if (status && !status->failure.empty()) {
            run.over = true;
            return events_.tell(RunFailedToStart{key, status->failure, status->not_begun});
        }
        if (status) {
            run.started_told = true;
            events_.tell(RunStarted{key});
        }
    }
    if (!run.checkpoint_told && run.folder.has_checkpoint()) {
        run.checkpoint_told = true;
        events_.tell(CheckpointFound{key});
    }
    if (const auto end = run.folder.exit()) {
        run.over = run.empty_due = true;
        watcher_.look_soon();
        measure_run(run);
        run.usage = highest(run.usage, end->usage);
        run.usage.rss = Bytes{};
        RunExited exited{key, end->exit, end->out_of_memory, run.usage};
        exited.failure = end->failure;
        exited.ended_at = end->ended_at;
        events_.tell(std::move(exited));
    }
}

// The shepherd was killed, and all processes of the run have ended by now.
void LiveRuns::settle_vanished(const RunKey& key, LiveRun& run) {
    run.over = true;
    if (run.started_told) return;
    const std::string log_text = run.folder.log_path();
    const auto said = read_file(log_text);
    events_.tell(RunFailedToStart{
        key,
        "its shepherd ended before it started" + (said.ok() && !said->empty() ? ": " + *said : ""),
        NotBegun::for_node});
}

// ---- Processes.

bool LiveRuns::is_busy(const AttemptKey& attempt) const {
    return std::ranges::any_of(runs_, [&](const auto& one) {
        return attempt_of(one.first) == attempt && (!one.second.gone || has_processes(one.second));
    });
}

bool LiveRuns::is_busy_besides_hooks(const AttemptKey& attempt) const {
    return std::ranges::any_of(runs_, [&](const auto& one) {
        const LiveRun& run = one.second;
        return is_of_job(one.first, attempt) && (has_processes(run) || (!run.over && !run.gone));
    });
}

void LiveRuns::end(const RunKey& key, int signal) {
    LiveRun& run = runs_.at(key);
    run.empty_due = true;
    signal_run(run, signal);
}

void LiveRuns::signal_main(const RunKey& key, int signal) const {
    const auto run = runs_.find(key);
    if (run == runs_.end()) return;
    const auto status = run->second.folder.status();
    if (!status || run->second.over) return;
    for (const ProcessMark& task : status->tasks) send_signal(open_process(task), signal);
}

void LiveRuns::signal_all(const AttemptKey& attempt, int signal) const {
    for (const auto& [key, run] : runs_) {
        if (is_of_job(key, attempt)) signal_run(run, signal);
    }
}

std::vector<int> LiveRuns::ungrouped_processes(const AttemptKey& attempt) const {
    std::vector<int> found;
    for (const auto& [key, run] : runs_) {
        const auto shepherd = run.folder.shepherd();
        if (!is_of_job(key, attempt) || !run.group.none() || run.gone || !shepherd) continue;
        const std::vector<int> below = descendants_of(shepherd->pid);
        found.insert(found.end(), below.begin(), below.end());
    }
    return found;
}

void LiveRuns::notify(const NotifyRun& line) const {
    const auto run = runs_.find(line.run);
    if (run == runs_.end() || run->second.gone) return;
    const Status left = run->second.folder.leave_notice(
        line.time ? line.text + local_time(*line.time) + line.rest : line.text);
    if (!left.ok()) return log_.write(LogLevel::warning, "host", left.error().message);
    wake_shepherd(run->second);
}

void LiveRuns::watch_checkpoint(const RunKey& key) const {
    const auto run = runs_.find(key);
    if (run == runs_.end() || run->second.over || run->second.gone) return;
    const Status asked = run->second.folder.ask_for_checkpoint();
    if (!asked.ok()) return log_.write(LogLevel::warning, "host", asked.error().message);
    wake_shepherd(run->second);
}

void LiveRuns::wake_shepherd(const LiveRun& run) {
    if (const auto shepherd = run.folder.shepherd())
        send_signal(open_process(*shepherd), kNoticeSignal);
}

}  // namespace berth
