// HeldSignals: blocks SIGINT, SIGTERM, SIGHUP and SIGQUIT during its lifetime and hands them out on
// request. A Client that watches fd() stops waiting as soon as one arrives.
#pragma once

#include <array>
#include <chrono>
#include <csignal>

#include "berth/client/client.h"

namespace berth::slurm {

class HeldSignals {
public:
    HeldSignals();
    ~HeldSignals();
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;

    int fd() const { return fd_; }  // Readable while a signal waits to be taken.
    // Takes one that arrives within that time; 0: none did.
    int wait(std::chrono::milliseconds most) const;

private:
    sigset_t signals_{}, before_{};
    int fd_ = -1;
};

// The signals that salloc and srun pass on to the processes that they have started.
inline constexpr std::array kForwardedSignals{SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

// For a command that was told to end: half a second for each answer, no retries, and further
// signals are ignored.
inline constexpr ClientOptions kBrief{.timeout = std::chrono::milliseconds(500),
                                      .retry_for = std::chrono::milliseconds(0),
                                      .slow_down_for = std::chrono::milliseconds(0)};

// The controller did not answer, as opposed to a refusal.
bool is_silent(const api::Problem& problem);

// Makes the call; repeats it once, briefly, if a signal stopped it.
template <class Call>
auto call_to_the_end(Client& client, Call call) {
    auto reply = call();
    if (reply || reply.problem().code != "stopped") return reply;
    client.set_options(kBrief);
    return call();
}

}  // namespace berth::slurm
