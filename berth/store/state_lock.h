// StateLock: ensures that only one program at a time writes a state file, whatever path leads to
// it. It is a lock on the file itself, beside SQLite's own; readers do not take it.
#pragma once

#include <string>

#include "berth/base/result.h"

namespace berth {

class StateLock {
public:
    // REQUIRES: the file exists. Waits up to 3 seconds for a program that is ending. Then, if
    // another program holds the lock, fails; the error names that program if it is a daemon.
    static Result<StateLock> take(const std::string& database);
    StateLock(StateLock&& other) noexcept;
    StateLock& operator=(StateLock&&) = delete;
    // REQUIRES: this process has no open connection to the file; such a connection would lose its
    // locks.
    ~StateLock();

private:
    explicit StateLock(int file) : file_(file) {}
    int file_;
};

// Fails if a daemon runs in this directory; the error has its process id.
Status check_no_daemon(const std::string& directory);

}  // namespace berth
