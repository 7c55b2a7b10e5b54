// LogRoom: writes zeros beyond the end of SQLite's log, ahead of its use. A commit that extends a
// file also waits for the file system's metadata; a commit that overwrites waits for its data only.
// On a busy disk this takes a hundredth of the time.
#pragma once

#include <cstdint>
#include <string>

namespace berth {

class LogRoom {
public:
    // Does nothing if the log does not exist or is not writable.
    LogRoom(const std::string& database, std::int64_t bytes);
    LogRoom(LogRoom&& other) noexcept;
    LogRoom& operator=(LogRoom&&) = delete;
    ~LogRoom();

    // Writes some more zeros. Call between commits, on the committing thread, since nothing else
    // extends the file. SQLite takes whatever lacks the log's own mark for the end of the log.
    void grow();
    bool is_grown() const { return file_ < 0; }

private:
    void leave();

    int file_ = -1;  // -1: nothing is left to do.
    std::int64_t bytes_;
};

}  // namespace berth
