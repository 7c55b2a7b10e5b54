#include "berth/host/node/shared_memory_watch.h"

#include <sys/stat.h>

#include <algorithm>

#include "berth/host/os/file_io.h"
#include "berth/host/os/left_behind.h"

namespace berth {

namespace {
constexpr const char* kRemoveMark = "/remove-shared-memory";
}  // namespace

Status SharedMemoryWatch::on_job_started(const std::string& folder, std::uint32_t uid,
                                         bool remove) {
    since_.try_emplace(uid, std::time(nullptr));
    if (!remove) return Done{};
    return write_atomically(folder + kRemoveMark, "");
}

// The first file of the folder is as old as the job.
bool SharedMemoryWatch::on_job_adopted(const std::string& folder, std::uint32_t uid) {
    struct stat file{};
    const bool remove = ::stat((folder + kRemoveMark).c_str(), &file) == 0;
    if (::stat((folder + "/place").c_str(), &file) != 0) return remove;
    std::time_t& since = since_.try_emplace(uid, file.st_mtime).first->second;
    since = std::min(since, file.st_mtime);
    return remove;
}

void SharedMemoryWatch::on_last_job_gone(std::uint32_t uid, bool remove) {
    const auto since = since_.find(uid);
    if (since == since_.end()) return;
    const LeftBehind left = find_left_behind(uid, since->second);
    since_.erase(since);
    if (left.none()) return;
    const std::string what = "jobs of uid " + std::to_string(uid) + " have left " + in_words(left);
    if (!remove) {
        return log_.write(LogLevel::warning, "host",
                          what + "; remove_shared_memory in berth.yaml would remove it");
    }
    if (uid == 0 || has_processes_of(uid)) {
        return log_.write(LogLevel::warning, "host",
                          what + "; it stays, since other processes of that user run here");
    }
    const LeftBehind still = remove_left_behind(left, uid);
    log_.write(
        still.none() ? LogLevel::info : LogLevel::warning, "host",
        what + (still.none() ? ": removed"
                             : ": " + std::to_string(still.files.size() + still.segments.size()) +
                                   " of them could not be removed"));
}

}  // namespace berth
