// The inside of LinuxNode: what it knows about each attempt and run, and how it learns more.
#pragma once

#include <chrono>
#include <ctime>
#include <deque>
#include <map>
#include <optional>

#include "berth/agent/ports.h"
#include "berth/base/log.h"
#include "berth/host/node/confinement.h"
#include "berth/host/node/linux_node_options.h"
#include "berth/host/node/mps_daemons.h"
#include "berth/host/run/job_environment.h"
#include "berth/host/run/run_directory.h"

namespace berth {

struct LinuxNodeParts {
    using Clock = std::chrono::steady_clock;
    using Key = std::pair<JobId, Attempt>;

    struct Run {
        RunDirectory folder;
        Cgroup group;
        UniqueFd shepherd;  // Its pidfd; empty once it has ended.
        int child = 0;      // The shepherd's process id if it is our child, to be reaped.
        int watch = -1;     // inotify watch of the folder.
        bool gone = false;  // The shepherd has ended.
        bool started_told = false;
        bool over = false;       // Its exit, or its failure to start, has been reported.
        bool empty_due = false;  // RunEmpty is to be reported once it is true.
        // No process is left that could tell whether any of its processes lives.
        bool unproved = false;
        RunUsage usage;  // As last measured.
    };
    struct Place {
        std::string folder;
        Cgroup group;
        bool empty_due = false;
        bool unclaimed = false;  // From an earlier process; no order has named it since.
        bool orphan = false;     // The agent does not know it: remove it once nothing runs.
        std::optional<MpsKey> mps = std::nullopt;  // The MPS daemon that it is a client of.
        std::uint32_t uid = 0;
        bool remove_shared_memory = false;             // When the last job of its user ends.
        std::optional<Clock::time_point> told_to_end;  // When it got a signal before SIGKILL.
    };

    LinuxNodeParts(LinuxNodeOptions options, LogSink& log);
    Status open();

    // ---- Adoption of what an earlier agent process left (linux_node_adopt.cc).
    void adopt();
    void adopt_attempt(const AttemptFolder& folder);
    void adopt_run(const RunKey& key, const RunDirectory& folder, const Place& place);
    void find_shepherd(const RunKey& key, Run& run);
    Place* claim(Key key);  // nullptr: unknown.
    void list(const ListAttempts& attempts);
    bool is_busy(const Key& key, const Place& place) const;
    bool has(const Key& key) const;
    void drop_orphans();

    // ---- Actions of the agent (linux_node_parts.cc, linux_node_start.cc).
    void start_attempt(const LaunchAttempt& launch);
    void refuse(const RunKey& run, const Error& why);
    Status make_way(const RunKey& key);
    Status prepare_attempt(const LaunchAttempt& launch);
    Status make_place(const LaunchAttempt& launch);
    Status keep_token(const LaunchAttempt& launch, const std::string& path, const UserRecord& user);
    NodeView view_of_job(const LaunchAttempt& launch) const;  // REQUIRES: the job has its place.
    void start_hook(const StartHook& start);
    Status clear_group(const Cgroup& group);
    void start_step(const StartStep& start);
    Result<UserRecord> user_of(const Owner& owner) const;
    NodeView view_for(const ConfinementSpec& wanted) const;
    void find_mig_instances(NodeSpec& node);  // Sets their names, which CUDA uses.
    Status start_run(RunSpec spec, const LaunchAttempt& launch, const StepShare* step);
    Status spawn_shepherd(Run& run, UniqueFd lock, std::string program);
    void signal_run(const SignalRun& order);
    void freeze_run(const FreezeRun& order);
    void notify_run(const NotifyRun& order);
    void signal_all(Run& run, int signal) const;
    void signal_main(const Run& run, int signal) const;
    void remove_attempt(Key key);
    void forget_run(const RunKey& key);
    void tell_of_kill(const RunKey& attempt, const Place& place);

    // ---- GPU sharing through NVIDIA's Multi-Process Service (linux_node_mps.cc).
    Cgroup mps_group(const MpsKey& key) const;
    Status need_mps(const LaunchAttempt& launch, const UserRecord& user);
    std::vector<std::string> mps_environment(const LaunchAttempt& launch) const;
    void adopt_mps();
    void drop_mps();
    void mps_ended();

    // ---- Shared memory that outlives its jobs (linux_node_shared_memory.cc).
    Status note_user(Place& place, std::uint32_t uid, bool remove_shared_memory);
    void adopt_user(Place& place, std::uint32_t uid);
    void look_at_shared_memory(const Place& gone);

    // ---- Usage (linux_node_usage.cc).
    void measure_run(Run& run) const;
    void measure_all();

    void configure(NodeSetup setup);

    // ---- Events (linux_node_events.cc).
    void watch_shepherd(const RunKey& key, Run& run);
    void serve();
    void read_folder_changes();
    void shepherd_ended(const RunKey& key, Run& run);
    bool lives_on(const RunKey& key, Run& run);
    void refresh(const RunKey& key, Run& run);
    bool has_processes(const Run& run) const;
    void look_for_empty();
    void settle_vanished(const RunKey& key, Run& run);
    void remove_leftovers();
    void arm_timer();
    void tell(AgentEvent event);

    LinuxNodeOptions options;
    LogSink& log;
    Confinement confinement;
    MpsDaemons mps;
    std::string hostname;
    std::vector<std::string> unisolated;
    std::vector<RunKey> alive;
    std::map<Key, Place> places;
    std::map<RunKey, Run> runs;
    std::map<int, RunKey> by_watch;
    std::map<std::uint64_t, RunKey> by_number;  // The numbers that epoll reports.
    std::vector<Place> leftovers;               // Removed, except for what was still busy.
    std::deque<AgentEvent> events;
    std::map<std::uint32_t, std::time_t> shared_since;  // By user: when its first job came.
    std::uint64_t next_number = 0;
    UniqueFd epoll, folders, timer, pending;
    // When to look for empty groups again; grows while nothing changes.
    std::chrono::milliseconds look_again{0};
    bool reset_look = false;
};

}  // namespace berth
