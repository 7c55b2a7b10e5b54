// NewFile: a file that is written under a temporary name, and gets its own name only once it is
// complete.
#pragma once

#include <string>
#include <utility>

#include "berth/base/result.h"

namespace berth {

class NewFile {
public:
    // REQUIRES: the file does not exist. It is accessible to its owner only.
    static Result<NewFile> make(const std::string& path);
    NewFile(NewFile&& other) noexcept
        : path_(std::exchange(other.path_, {})), fd_(std::exchange(other.fd_, -1)) {}
    NewFile& operator=(NewFile&&) = delete;
    ~NewFile();  // Removes a file that was not finished.

    std::string part() const { return path_ + ".part"; }
    int descriptor() const { return fd_; }

    Status finish();  // Makes the file durable under its name.

private:
    NewFile() = default;
    std::string path_;
    int fd_ = -1;
};

}  // namespace berth
