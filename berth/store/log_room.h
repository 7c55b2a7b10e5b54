// LogRoom: writes zeros behind the end of SQLite's log, ahead of its use. A commit that makes a
// file longer waits for the file system's own records; one that overwrites waits for its bytes
// alone: on a busy disk a hundredth of the time.
#pragma once

#include <cstdint>
#include <string>

namespace berth {

class LogRoom {
public:
    // Nothing happens where the log is not there, or cannot be written.
    LogRoom(const std::string& database, std::int64_t bytes);
    LogRoom(LogRoom&& other) noexcept;
    LogRoom& operator=(LogRoom&&) = delete;
    ~LogRoom();

    // Some more of it. For the thread that commits, between two commits: no one else makes the
    // file longer. SQLite takes what does not carry the log's own mark for its end.
    void grow();
    bool is_grown() const { return file_ < 0; }

private:
    void leave();

    int file_ = -1;  // -1: there is nothing left to do.
    std::int64_t bytes_;
};

}  // namespace berth
