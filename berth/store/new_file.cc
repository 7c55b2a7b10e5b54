#include "berth/store/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "berth/store/disk_file.h"

namespace berth {

Result<NewFile> NewFile::make(const std::string& path) {
    if (::access(path.c_str(), F_OK) == 0) {
        return Error{ErrorCode::already_exists, path + " is there already"};
    }
    NewFile file;
    file.path_ = path;
    // O_EXCL: a file that another user had created first would stay readable by that user.
    file.fd_ = ::open(file.part().c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file.fd_ >= 0) return file;
    if (errno != EEXIST) return file_error(file.part());
    return Error{ErrorCode::already_exists,
                 file.part() + " exists already: another copy is in progress, or an " +
                     "interrupted one has left this file, which can then be removed"};
}

NewFile::~NewFile() {
    if (fd_ < 0) return;
    ::close(fd_);
    ::unlink(part().c_str());
}

Status NewFile::finish() {
    if (::fsync(fd_) != 0) return file_error(part());
    if (::rename(part().c_str(), path_.c_str()) != 0) return file_error(path_);
    ::close(std::exchange(fd_, -1));
    const std::string folder = std::filesystem::path(path_).parent_path().string();
    return sync_directory(folder.empty() ? "." : folder);
}

}  // namespace berth
