// What makes a daemon the only one of its kind in a directory, and lets others find it.
#pragma once

#include <string>

#include "berth/base/result.h"

namespace berth {

// Held as long as this object, or the process, lives.
class DirectoryLock {
public:
    // Makes the directory if it is not there. Refuses one that another process holds, by its
    // pid, after a few seconds in which a killed one may still let go.
    static Result<DirectoryLock> take(const std::string& directory, const std::string& program);
    DirectoryLock(DirectoryLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    DirectoryLock& operator=(DirectoryLock&&) = delete;
    ~DirectoryLock();

private:
    explicit DirectoryLock(int file) : file_(file) {}
    int file_;
};

// A file with our pid, removed at the end.
class PidFile {
public:
    static Result<PidFile> write(const std::string& path);  // An empty path: none.
    PidFile(PidFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    PidFile& operator=(PidFile&&) = delete;
    ~PidFile();

private:
    explicit PidFile(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

}  // namespace berth
