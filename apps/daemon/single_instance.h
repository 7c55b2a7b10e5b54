// What makes a daemon the only one of its kind in a directory, and lets others find it.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "berth/base/result.h"

namespace berth {

// A file that says our pid and that no other process can lock. Held as long as this object, or the
// process and what it has forked, lives.
class FileLock {
public:
    // Makes the file if it is not there. Refuses one that another process holds, by its pid, after
    // a few seconds in which a killed one may still let go; `what` is then what belongs to it.
    static Result<FileLock> take(const std::string& path, const std::string& what,
                                 const std::string& program);
    FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    FileLock& operator=(FileLock&&) = delete;
    ~FileLock();

private:
    explicit FileLock(int file) : file_(file) {}
    int file_;
};

// The lock of a directory, which is made if it is not there.
struct DirectoryLock {
    static Result<FileLock> take(const std::string& directory, const std::string& program);
};

// A file with our pid, removed at the end. Another process that still has it keeps it as it is.
class PidFile {
public:
    // An empty path: none.
    static Result<PidFile> write(const std::string& path, const std::string& program);
    PidFile(PidFile&& other) noexcept
        : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
    PidFile& operator=(PidFile&&) = delete;
    ~PidFile();

private:
    PidFile() = default;
    std::string path_;
    std::optional<FileLock> lock_;
};

}  // namespace berth
