// Makes a daemon the only one of its kind in a directory, and lets others find it.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "berth/base/result.h"

namespace berth {

// A file that contains our pid and that we have locked. The lock lasts as long as this object, or
// this process and its forked children.
class FileLock {
public:
    // Creates the file if it does not exist. If another process holds the lock, waits a few
    // seconds, in which a killed process may release it, and then fails with that process's pid;
    // `what` names what the lock protects.
    static Result<FileLock> take(const std::string& path, const std::string& what,
                                 const std::string& program);
    FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    FileLock& operator=(FileLock&&) = delete;
    ~FileLock();

private:
    explicit FileLock(int file) : file_(file) {}
    int file_;
};

// Locks a directory, which is created if it does not exist.
struct DirectoryLock {
    static Result<FileLock> take(const std::string& directory, const std::string& program);
};

// A file with our pid, removed at the end. If another process still holds it, it is left alone.
class PidFile {
public:
    // An empty path: no file.
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
