// CheckpointWatch: finds the checkpoint that a run saves after it was warned.
#pragma once

#include <chrono>
#include <optional>

#include "berth/host/run/run_directory.h"

namespace berth {

// What a file must be to count. Times are those of its file system.
struct SeenFile {
    std::uint64_t device = 0, inode = 0;
    std::int64_t size = 0;
    WallMoment changed;
    friend bool operator==(const SeenFile&, const SeenFile&) = default;
};

// Told of the file as it is at each look, says when it is complete: a file with content that has
// changed since the run was warned, and has not changed for kCheckpointRests since. A file whose
// time is later than the warning has changed; so has one that differs from the first look, where
// the clock of its file server is behind.
class CheckpointTest {
public:
    explicit CheckpointTest(WallMoment warned) : warned_(warned) {}
    // nullopt: there is no file, or nothing in it. `now`: a clock that never goes back.
    bool is_complete(const std::optional<SeenFile>& file, std::chrono::milliseconds now);
    // Whether the file, as it was at the last look, has changed since the warning.
    bool is_new() const { return last_.has_value(); }

private:
    WallMoment warned_;
    bool looked_ = false;
    std::optional<SeenFile> first_, last_;
    std::chrono::milliseconds since_{};  // `last_` was first seen.
};
inline constexpr std::chrono::milliseconds kCheckpointRests{1000};

// Looks as the run's user, in a process of its own: a file system that hangs delays nothing else.
// That process lives no longer than the shepherd.
class CheckpointWatch {
public:
    // Starts it once the agent asks for it. To be called whenever the shepherd is woken.
    void look(const RunDirectory& folder, const RunSpec& run);
    bool is(int pid) const { return pid == pid_; }
    // A child has ended; false: it is another one. The checkpoint, if found, is in the folder then.
    bool take_end(int pid, int wait_status, const RunDirectory& folder);
    // The run has ended, and changes its file no more: what is new in it counts as it is. Waits a
    // moment for the answer of the file system, and no longer.
    void end(const RunDirectory& folder, const RunSpec& run);

private:
    int pid_ = 0;  // 0: none.
    bool over_ = false;
};

}  // namespace berth
