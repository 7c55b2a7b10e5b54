// Shared memory that is left when a user's last job ends: reported, and removed if the site wants
// that.
#include <sys/stat.h>

#include <algorithm>
#include <ctime>

#include "berth/base/log.h"
#include "berth/host/node/linux_node_parts.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/left_behind.h"

namespace berth {

namespace {
constexpr const char* kRemoveMark = "/remove-shared-memory";
}  // namespace

Status LinuxNodeParts::note_user(Place& place, std::uint32_t uid, bool remove_shared_memory) {
    place.uid = uid;
    place.remove_shared_memory = remove_shared_memory;
    shared_since.try_emplace(uid, std::time(nullptr));
    if (!remove_shared_memory) return Done{};
    return write_atomically(place.folder + kRemoveMark, "");
}

// The first file of the place is as old as the job.
void LinuxNodeParts::adopt_user(Place& place, std::uint32_t uid) {
    struct stat file{};
    place.uid = uid;
    place.remove_shared_memory = ::stat((place.folder + kRemoveMark).c_str(), &file) == 0;
    if (::stat((place.folder + "/place").c_str(), &file) != 0) return;
    std::time_t& since = shared_since.try_emplace(uid, file.st_mtime).first->second;
    since = std::min(since, file.st_mtime);
}

// Another job or a login of the user may be using it.
void LinuxNodeParts::look_at_shared_memory(const Place& gone) {
    const auto same_user = [&](const auto& one) { return one.second.uid == gone.uid; };
    if (std::ranges::any_of(places, same_user)) return;
    const auto since = shared_since.find(gone.uid);
    if (since == shared_since.end()) return;
    const LeftBehind left = find_left_behind(gone.uid, since->second);
    shared_since.erase(since);
    if (left.none()) return;
    const std::string what =
        "jobs of uid " + std::to_string(gone.uid) + " have left " + in_words(left);
    if (!gone.remove_shared_memory) {
        return log.write(LogLevel::warning, "host",
                         what + "; remove_shared_memory in berth.yaml would remove it");
    }
    if (gone.uid == 0 || has_processes_of(gone.uid)) {
        return log.write(LogLevel::warning, "host",
                         what + "; it stays, since other processes of that user run here");
    }
    const LeftBehind still = remove_left_behind(left, gone.uid);
    log.write(
        still.none() ? LogLevel::info : LogLevel::warning, "host",
        what + (still.none() ? ": removed"
                             : ": " + std::to_string(still.files.size() + still.segments.size()) +
                                   " of them could not be removed"));
}

}  // namespace berth
