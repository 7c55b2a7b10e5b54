// StateLock: one program at a time writes a state file, by whatever path it came there. It is a
// lock on the file itself, beside SQLite's own, which readers do not ask for.
#pragma once

#include <string>

#include "berth/base/result.h"

namespace berth {

class StateLock {
public:
    // REQUIRES: the file exists. Refuses one that another program holds, and names that program
    // if it is a daemon; first waits 3 seconds for one that is ending.
    static Result<StateLock> take(const std::string& database);
    StateLock(StateLock&& other) noexcept;
    StateLock& operator=(StateLock&&) = delete;
    // REQUIRES: no connection of this process to the file is open, for it would lose its locks.
    ~StateLock();

private:
    explicit StateLock(int file) : file_(file) {}
    int file_;
};

// Refuses a directory in which a daemon runs, by its process id.
Status check_no_daemon(const std::string& directory);

}  // namespace berth
