#include "apps/daemon/single_instance.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "berth/trust/ownership.h"

namespace berth {

namespace {

Error failed(const std::string& path) {
    return {ErrorCode::internal, path + ": " + std::strerror(errno)};
}

std::string first_line(int file) {
    std::array<char, 32> text{};
    const ssize_t size = pread(file, text.data(), text.size() - 1, 0);
    const std::string line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    return line.substr(0, line.find('\n'));
}

// A killed process keeps its files open until the last of its threads has ended.
constexpr std::chrono::seconds kDyingFor{3};

// On false, errno tells why.
bool lock_soon(int file) {
    const auto until = std::chrono::steady_clock::now() + kDyingFor;
    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() > until) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

}  // namespace

Result<FileLock> FileLock::take(const std::string& path, const std::string& what,
                                const std::string& program) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) return failed(path);
    if (!lock_soon(file)) {
        Error error = errno == EWOULDBLOCK
                          ? Error{ErrorCode::already_exists,
                                  what + " belongs to another " + program + ", pid " +
                                      first_line(file) + ", which is still running"}
                          : failed(path);
        close(file);
        return error;
    }
    const std::string pid = std::to_string(getpid()) + '\n';
    if (ftruncate(file, 0) != 0 ||
        pwrite(file, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
        // Only readers of the pid miss it: the lock works even on a full disk.
    }
    return FileLock(file);
}

FileLock::~FileLock() {
    if (file_ >= 0) close(file_);
}

Result<FileLock> DirectoryLock::take(const std::string& directory, const std::string& program) {
    BERTH_CHECK(make_owned_folder(directory, 0700));
    return FileLock::take(directory + "/lock", directory, program);
}

Result<PidFile> PidFile::write(const std::string& path, const std::string& program) {
    PidFile file;
    if (path.empty()) return file;
    BERTH_TRY(FileLock lock, FileLock::take(path, path, program));
    file.path_ = path;
    file.lock_.emplace(std::move(lock));
    return file;
}

PidFile::~PidFile() {
    if (!path_.empty()) unlink(path_.c_str());
}

}  // namespace berth
