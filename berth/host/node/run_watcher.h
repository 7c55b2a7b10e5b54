// RunWatcher: the descriptors through which the node learns that something has happened to its
// runs, behind one descriptor to poll: changes in their folders (inotify), shepherds that end, and
// a timer for what can only be looked at again.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "berth/agent/ports.h"
#include "berth/base/log.h"
#include "berth/host/os/unique_fd.h"

namespace berth {

class RunWatcher {
public:
    // Also watches the descriptors of the events and of the MPS daemons (-1: none).
    Status open(LogSink& log, int events, int mps);
    int fd() const { return epoll_.get(); }

    // The number of the watch; -1 and errno: the folder cannot be watched.
    int watch_folder(const RunKey& run, const std::string& folder);
    // False if the user has no more inotify instances; folders are then looked at by time.
    bool watches_folders() const { return static_cast<bool>(folders_); }
    // Each watch of a shepherd reports once. False if it cannot be watched.
    bool watch_shepherd(const RunKey& run, const UniqueFd& shepherd);
    // `watch`: from watch_folder().
    void forget(const RunKey& run, int watch);

    struct Change {
        enum class What : std::uint8_t { folder, any_folder, shepherd_ended, event, mps };
        What what = What::event;
        RunKey run;  // For `folder` and `shepherd_ended`.
    };
    std::vector<Change> take_changes();  // Does not block.

    // Sets the timer, if anything has to be looked at again. The interval grows until look_soon().
    void arm(bool to_look_again);
    void look_soon() { look_soon_ = true; }

private:
    void read_folder_changes(std::vector<Change>& changes);

    UniqueFd epoll_, folders_, timer_;
    std::map<int, RunKey> by_watch_;
    std::map<std::uint64_t, RunKey> by_number_;  // The numbers that epoll reports.
    std::uint64_t next_number_ = 0;
    std::chrono::milliseconds interval_{0};
    bool look_soon_ = false;
};

}  // namespace berth
