// LiveRuns: the runs on this node, each under a shepherd, and what is known of them. What becomes
// of a run is told to the agent as it is learned: from files in the run's folder, from the end of
// its shepherd, and from its cgroup once that is empty.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "berth/agent/memory.h"
#include "berth/base/log.h"
#include "berth/host/cgroup/cgroup_tree.h"
#include "berth/host/node/event_queue.h"
#include "berth/host/node/run_watcher.h"
#include "berth/host/run/run_directory.h"

namespace berth {

inline AttemptKey attempt_of(const RunKey& run) { return {run.job, run.attempt}; }

struct LiveRun {
    RunDirectory folder;
    Cgroup group;
    UniqueFd shepherd;  // Its pidfd; empty once it has ended.
    int child = 0;      // The shepherd's process id if it is our child, to be reaped.
    int watch = -1;     // Of the folder; see RunWatcher.
    bool gone = false;  // The shepherd has ended.
    bool started_told = false;
    bool checkpoint_told = false;
    bool over = false;       // Its exit, or its failure to start, has been reported.
    bool empty_due = false;  // RunEmpty is to be reported once it is true.
    // No process is left that could tell whether any of its processes lives.
    bool unproved = false;
    RunUsage usage;  // As last measured.
};

class LiveRuns {
public:
    LiveRuns(RunWatcher& watcher, EventQueue& events, LogSink& log)
        : watcher_(watcher), events_(events), log_(log) {}

    // Starts `shepherd` on the folder, whose lock it gets.
    Status start(const RunKey& key, const RunDirectory& folder, const Cgroup& group, UniqueFd lock,
                 const std::string& shepherd);
    // Takes over a run of an earlier agent process. Returns whether it has a process.
    bool adopt(const RunKey& key, const RunDirectory& folder, const Cgroup& group);
    void forget(const RunKey& key);
    void forget_all(const AttemptKey& attempt);

    // ---- What has changed.
    void on_folder_changed(const RunKey& key);
    void on_any_folder_changed();
    void on_shepherd_ended(const RunKey& key);
    // Looks at what nothing reports: folders that are not watched, shepherds that have not recorded
    // their process yet, and those that exit after their run was forgotten. Reports each group that
    // is empty by now, if that is due.
    void look_again();
    bool is_to_look_again() const;
    // Reports the usage of all live runs.
    void measure_all();

    // ---- Processes.
    bool contains(const RunKey& key) const { return runs_.contains(key); }
    // True if a process of the attempt lives, or a shepherd that may still start one.
    bool is_busy(const AttemptKey& attempt) const;
    // The same without the site's prolog and epilog; a run whose end is not yet known counts.
    bool is_busy_besides_hooks(const AttemptKey& attempt) const;
    // To every process of the run; RunEmpty is due. The run must be known.
    void end(const RunKey& key, int signal);
    void signal_main(const RunKey& key, int signal) const;
    // To every process of the attempt's runs, but not of the site's prolog and epilog.
    void signal_all(const AttemptKey& attempt, int signal) const;
    // Processes of runs that have no cgroup, without the site's prolog and epilog.
    std::vector<int> ungrouped_processes(const AttemptKey& attempt) const;
    void notify(const NotifyRun& line) const;
    void watch_checkpoint(const RunKey& key) const;

private:
    void find_shepherd(const RunKey& key, LiveRun& run);
    void watch_shepherd(const RunKey& key, LiveRun& run);
    void shepherd_ended(const RunKey& key, LiveRun& run);
    bool lives_on(const RunKey& key, LiveRun& run);
    void refresh(const RunKey& key, LiveRun& run);
    void settle_vanished(const RunKey& key, LiveRun& run);
    static void wake_shepherd(const LiveRun& run);

    RunWatcher& watcher_;
    EventQueue& events_;
    LogSink& log_;
    std::map<RunKey, LiveRun> runs_;
    // Children that had recorded the end of their run, but not exited when it was forgotten: each
    // is to be reaped.
    std::vector<int> leaving_;
};

}  // namespace berth
