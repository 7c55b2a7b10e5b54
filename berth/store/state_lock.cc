#include "berth/store/state_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "berth/store/disk_file.h"

namespace berth {

namespace {

// Beyond every byte that SQLite locks or that a file has.
constexpr off_t kLockedByte = off_t{1} << 60;
constexpr std::chrono::seconds kDyingFor{3};

// The process that the daemon's lock file (apps/daemon/single_instance.h) names.
std::string holder_in(const std::string& directory) {
    std::string pid;
    std::getline(std::ifstream(directory + "/lock") >> std::ws, pid);
    return pid.empty() ? "another program" : "another program (berthd, pid " + pid + ")";
}

std::string folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

}  // namespace

Result<StateLock> StateLock::take(const std::string& database) {
    const int file = ::open(database.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return file_error(database);
    StateLock lock(file);
    struct flock byte{};
    byte.l_type = F_WRLCK;
    byte.l_whence = SEEK_SET;
    byte.l_start = kLockedByte;
    byte.l_len = 1;
    const auto until = std::chrono::steady_clock::now() + kDyingFor;
    while (::fcntl(file, F_OFD_SETLK, &byte) != 0) {
        if (errno != EAGAIN && errno != EACCES) return file_error(database);
        if (std::chrono::steady_clock::now() > until) {
            return Error{
                ErrorCode::already_exists,
                database + " is in use by " + holder_in(folder_of(database)) + ": stop it first"};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return lock;
}

StateLock::StateLock(StateLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

StateLock::~StateLock() {
    if (file_ >= 0) ::close(file_);
}

Status check_no_daemon(const std::string& directory) {
    const int file = ::open((directory + "/lock").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return Done{};
    const bool is_held = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(file);
    if (!is_held) return Done{};
    return Error{ErrorCode::already_exists,
                 directory + " is in use by " + holder_in(directory) + ": stop it first"};
}

}  // namespace berth
