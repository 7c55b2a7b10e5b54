// LeftBehind: what a user's jobs leave on a node outside their cgroups: files in /dev/shm and
// System V shared memory. It occupies memory until it is removed.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace berth {

struct LeftBehind {
    std::vector<std::string> files;  // Names in the folder.
    std::vector<int> segments;       // Ids of shared memory that no process has attached.
    std::uint64_t bytes = 0;         // Total size of both.

    bool none() const { return files.empty() && segments.empty(); }
};

// Where to look; set by tests.
struct SharedMemoryPlaces {
    std::string folder = "/dev/shm";
    std::string segments = "/proc/sysvipc/shm";
};

// What belongs to the user and was created or changed since that time.
LeftBehind find_left_behind(std::uint32_t uid, std::time_t since,
                            const SharedMemoryPlaces& places = {});

// Returns what could not be removed.
LeftBehind remove_left_behind(const LeftBehind& left, std::uint32_t uid,
                              const SharedMemoryPlaces& places = {});

// "3 files in /dev/shm (psm_a, psm_b, psm_c) and 1 System V segment, 12 MiB together"
std::string in_words(const LeftBehind& left);

bool has_processes_of(std::uint32_t uid);

}  // namespace berth
