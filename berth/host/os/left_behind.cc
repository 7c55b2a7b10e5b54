#include "berth/host/os/left_behind.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "berth/base/text.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/unique_fd.h"

namespace berth {
namespace {

constexpr int kDepthMax = 32;
constexpr std::size_t kFilesShown = 5;

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

// Does not follow links: a user may replace a folder by a link at any time.
Folder open_folder_at(int parent, const char* name) {
    const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    Folder folder(fd < 0 ? nullptr : ::fdopendir(fd));
    if (!folder && fd >= 0) ::close(fd);
    return folder;
}

bool is_dot(const char* name) {
    const std::string_view text = name;
    return text == "." || text == "..";
}

bool is_users(int parent, const char* name, std::uint32_t uid, struct stat& file) {
    return ::fstatat(parent, name, &file, AT_SYMLINK_NOFOLLOW) == 0 && file.st_uid == uid;
}

// Returns false if something is left.
bool remove_at(int parent, const char* name, std::uint32_t uid, int depth = 0) {
    struct stat file{};
    if (!is_users(parent, name, uid, file) || depth > kDepthMax) return false;
    if (!S_ISDIR(file.st_mode)) return ::unlinkat(parent, name, 0) == 0;
    const Folder folder = open_folder_at(parent, name);
    if (!folder) return false;
    bool all = true;
    while (const dirent* entry = ::readdir(folder.get())) {
        if (is_dot(entry->d_name)) continue;
        all = remove_at(::dirfd(folder.get()), entry->d_name, uid, depth + 1) && all;
    }
    return all && ::unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

// The columns of /proc/sysvipc/shm in use.
constexpr std::size_t kId = 1, kSize = 3, kAttached = 6, kUid = 7, kChanged = 13, kColumns = 14;

void find_segments(std::uint32_t uid, std::time_t since, const std::string& list,
                   LeftBehind& left) {
    const auto text = read_file(list);
    if (!text.ok()) return;
    for (const std::string_view line : split(*text, '\n')) {
        std::vector<std::int64_t> numbers;
        for (const std::string_view word : split(line, ' ')) {
            if (word.empty()) continue;
            numbers.push_back(parse_int64(word).ok() ? *parse_int64(word) : -1);
        }
        if (numbers.size() < kColumns || numbers[kId] < 0) continue;
        if (numbers[kUid] != std::int64_t{uid} || numbers[kAttached] != 0) continue;
        if (numbers[kChanged] < since) continue;
        left.segments.push_back(static_cast<int>(numbers[kId]));
        left.bytes += static_cast<std::uint64_t>(std::max<std::int64_t>(0, numbers[kSize]));
    }
}

std::string size_text(std::uint64_t bytes) {
    constexpr std::uint64_t kBytesInMib = std::uint64_t{1} << 20;
    return std::to_string((bytes + kBytesInMib - 1) / kBytesInMib) + " MiB";
}

}  // namespace

LeftBehind find_left_behind(std::uint32_t uid, std::time_t since,
                            const SharedMemoryPlaces& places) {
    LeftBehind left;
    const Folder folder = open_folder_at(AT_FDCWD, places.folder.c_str());
    while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
        struct stat file{};
        if (is_dot(entry->d_name)) continue;
        if (!is_users(::dirfd(folder.get()), entry->d_name, uid, file)) continue;
        if (file.st_ctime < since) continue;
        left.files.emplace_back(entry->d_name);
        left.bytes += static_cast<std::uint64_t>(file.st_blocks) * 512;
    }
    std::ranges::sort(left.files);
    find_segments(uid, since, places.segments, left);
    return left;
}

LeftBehind remove_left_behind(const LeftBehind& left, std::uint32_t uid,
                              const SharedMemoryPlaces& places) {
    LeftBehind still;
    const Folder folder = open_folder_at(AT_FDCWD, places.folder.c_str());
    for (const std::string& name : left.files) {
        if (!folder || !remove_at(::dirfd(folder.get()), name.c_str(), uid)) {
            still.files.push_back(name);
        }
    }
    for (const int id : left.segments) {
        shmid_ds now{};
        const bool same = ::shmctl(id, IPC_STAT, &now) == 0 && now.shm_perm.uid == uid;
        if (!same || ::shmctl(id, IPC_RMID, nullptr) != 0) still.segments.push_back(id);
    }
    return still;
}

std::string in_words(const LeftBehind& left) {
    const auto counted = [](std::size_t count, const std::string& what) {
        return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    };
    std::string text;
    if (!left.files.empty()) {
        const std::size_t shown = std::min(left.files.size(), kFilesShown);
        const std::vector<std::string> names(
            left.files.begin(), left.files.begin() + static_cast<std::ptrdiff_t>(shown));
        text = counted(left.files.size(), "file") + " in /dev/shm (" + join(names, ", ") +
               (shown < left.files.size() ? ", ...)" : ")");
    }
    if (!left.segments.empty()) {
        text += (text.empty() ? "" : " and ") +
                counted(left.segments.size(), "System V shared memory segment");
    }
    return text + ", " + size_text(left.bytes);
}

bool has_processes_of(std::uint32_t uid) {
    const Folder folder = open_folder_at(AT_FDCWD, "/proc");
    while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
        struct stat process{};
        if (!parse_int64(entry->d_name).ok()) continue;
        if (!is_users(::dirfd(folder.get()), entry->d_name, uid, process)) continue;
        const auto stat = read_file("/proc/" + std::string(entry->d_name) + "/stat");
        const bool dead = !stat.ok() || stat->find(") Z ") != std::string::npos;
        if (!dead) return true;
    }
    return false;
}

}  // namespace berth
