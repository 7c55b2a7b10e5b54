// NewFile: a file that is being written under a name of its own, and is there only once it is
// whole.
#pragma once

#include <string>
#include <utility>

#include "berth/base/result.h"

namespace berth {

class NewFile {
public:
    // Not there yet, and for its owner alone.
    static Result<NewFile> make(const std::string& path);
    NewFile(NewFile&& other) noexcept
        : path_(std::exchange(other.path_, {})), fd_(std::exchange(other.fd_, -1)) {}
    NewFile& operator=(NewFile&&) = delete;
    ~NewFile();  // What is not finished goes.

    std::string part() const { return path_ + ".part"; }
    int descriptor() const { return fd_; }

    Status finish();  // On the disk, under its name.

private:
    NewFile() = default;
    std::string path_;
    int fd_ = -1;
};

}  // namespace berth
