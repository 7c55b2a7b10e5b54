// Patience: for how long a client waits for the other side, what ends the waiting at once, and who
// is told of it.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace berth {

struct Patience {
    std::chrono::milliseconds timeout{30'000};  // For each wait for the other side.
    // As soon as this descriptor is readable, every wait ends; -1: none does that. A signalfd, so
    // that a command that holds its signals back does not hold them back for long.
    int stop_fd = -1;
};

// Called once for each call that is not answered within kSilentAfter, and once for each connection
// that takes longer to make, with whom it waits for: "the controller at /run/berth/berthd.sock".
// For the whole process; set before there are threads.
using SilenceNotice =
    std::function<void(const std::string& whom, std::chrono::milliseconds timeout)>;
void set_silence_notice(SilenceNotice notice);
const SilenceNotice& silence_notice();

inline constexpr std::chrono::milliseconds kSilentAfter{3'000};

// Sleeps for `most`, or until `stop_fd` is readable: false.
bool sleep_unless(int stop_fd, std::chrono::milliseconds most);

}  // namespace berth
