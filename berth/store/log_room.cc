#include "berth/store/log_room.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace berth {

namespace {

constexpr int kStepsAtOnce = 4;
constexpr std::array<char, 1 << 16> kZeros{};

}  // namespace

LogRoom::LogRoom(const std::string& database, std::int64_t bytes) : bytes_(bytes) {
    if (bytes > 0) file_ = open((database + "-wal").c_str(), O_WRONLY | O_CLOEXEC);
}
LogRoom::LogRoom(LogRoom&& other) noexcept
    : file_(std::exchange(other.file_, -1)), bytes_(other.bytes_) {}
LogRoom::~LogRoom() { leave(); }

void LogRoom::leave() {
    if (file_ >= 0) close(std::exchange(file_, -1));
}

void LogRoom::grow() {
    struct stat now{};
    if (file_ < 0) return;
    if (fstat(file_, &now) != 0 || now.st_size >= bytes_) return leave();
    for (int i = 0; i < kStepsAtOnce; ++i, now.st_size += static_cast<off_t>(kZeros.size())) {
        const ssize_t written = pwrite(file_, kZeros.data(), kZeros.size(), now.st_size);
        if (written != static_cast<ssize_t>(kZeros.size())) return leave();
    }
}

}  // namespace berth
