#include "berth/store/free_space.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <limits>

namespace berth {

namespace {

std::int64_t free_bytes_of(const std::string& directory) {
    struct statvfs disk{};
    if (statvfs(directory.c_str(), &disk) != 0) return 0;
    return static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
}

}  // namespace

FreeSpace::FreeSpace(const std::string& directory, std::int64_t reserve_bytes, Ask ask)
    : path_(directory + "/reserve"), reserve_bytes_(reserve_bytes), ask_(std::move(ask)) {
    if (!ask_) ask_ = [directory] { return free_bytes_of(directory); };
    struct stat file{};
    held_ = stat(path_.c_str(), &file) == 0 && file.st_size == reserve_bytes_;
    if (!held_ && ask_() >= 2 * reserve_bytes_) held_ = take_reserve();
}

bool FreeSpace::has_room() {
    const std::int64_t free = ask_();
    if (held_) return free >= reserve_bytes_ / 4;
    if (free < 2 * reserve_bytes_) return false;
    held_ = take_reserve();
    return held_;
}

bool FreeSpace::give_up_reserve() {
    if (!held_) return false;
    held_ = false;
    return unlink(path_.c_str()) == 0;
}

bool FreeSpace::take_reserve() {
    const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return false;
    const bool taken = posix_fallocate(file, 0, reserve_bytes_) == 0;
    close(file);
    if (!taken) unlink(path_.c_str());
    return taken;
}

}  // namespace berth
