// AttemptPlaces: the place of each attempt on this node: its folder, with the folders of its runs,
// and its cgroup. A removed attempt keeps its place until none of its processes lives.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/agent/memory.h"
#include "berth/base/log.h"
#include "berth/host/node/event_queue.h"
#include "berth/host/node/live_runs.h"
#include "berth/host/node/mps_daemons.h"
#include "berth/host/node/node_description.h"
#include "berth/host/node/shared_memory_watch.h"

namespace berth {

struct AttemptPlace {
    using Clock = std::chrono::steady_clock;

    std::string folder;
    Cgroup group;
    bool empty_due = false;
    bool unclaimed = false;  // From an earlier process; no order has named it since.
    bool orphan = false;     // The agent does not know it: remove it once nothing runs.
    std::optional<MpsKey> mps = std::nullopt;  // The MPS daemon that it is a client of.
    std::uint32_t uid = 0;
    bool remove_shared_memory = false;             // When the last job of its user ends.
    std::optional<Clock::time_point> told_to_end;  // When it got a signal before SIGKILL.
    bool stopped = false;                          // Frozen by SIGSTOP, for want of a freezer.
};

class AttemptPlaces {
public:
    AttemptPlaces(const NodeDescription& description, const LiveRuns& runs,
                  SharedMemoryWatch& shared_memory, EventQueue& events, LogSink& log)
        : description_(description),
          runs_(runs),
          shared_memory_(shared_memory),
          events_(events),
          log_(log) {}

    // Makes the attempt's folder, and removes the cgroup of an earlier attempt of the job.
    Status make(const LaunchAttempt& launch, const UserRecord& user);
    // That of an attempt that an earlier agent process has started.
    void adopt(const AttemptKey& key, AttemptPlace place) { places_[key] = std::move(place); }

    AttemptPlace* find(const AttemptKey& key);  // nullptr: unknown.
    const AttemptPlace* find(const AttemptKey& key) const;
    const std::map<AttemptKey, AttemptPlace>& all() const { return places_; }
    bool any_of_user(std::uint32_t uid) const;
    // Includes removed attempts.
    bool any_client_of(const MpsKey& daemon) const;
    // Also true for a removed attempt while its processes live.
    bool has(const AttemptKey& key) const;

    // An action of the agent names the attempt, so the agent knows it. nullptr: unknown.
    AttemptPlace* claim(const AttemptKey& key);
    // An attempt that the earlier agent knew and this one does not has ended and was acknowledged;
    // only its removal never arrived here. It is an orphan.
    void on_list(const ListAttempts& attempts);
    std::vector<AttemptKey> orphans_to_remove() const;  // Those without a process.

    // The attempt is removed as soon as nothing of it lives. Returns its place; nullopt: unknown.
    std::optional<AttemptPlace> retire(const AttemptKey& key);
    void remove_retired();
    // Reports each attempt whose cgroup is empty by now, if that is due.
    void report_empty();
    bool is_to_look_again() const;

private:
    Status keep_token(const LaunchAttempt& launch, const std::string& path,
                      const UserRecord& user) const;
    Status clear_group(const Cgroup& group);

    const NodeDescription& description_;
    const LiveRuns& runs_;
    SharedMemoryWatch& shared_memory_;
    EventQueue& events_;
    LogSink& log_;
    std::map<AttemptKey, AttemptPlace> places_;
    std::vector<AttemptPlace> retired_;  // Removed, except for what was still busy.
};

}  // namespace berth
