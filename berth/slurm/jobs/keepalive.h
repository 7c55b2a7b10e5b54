// Keepalive: tells the controller at intervals, on a thread of its own, that this command is alive.
// See control/alarms/keepalives.h.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

class Keepalive {
public:
    // Sends nothing in the first second: most commands have ended by then, and those that fork do
    // so before.
    Keepalive(const Invocation& call, std::string job);
    ~Keepalive();
    Keepalive(const Keepalive&) = delete;
    Keepalive& operator=(const Keepalive&) = delete;

private:
    void attend();

    const Invocation& call_;
    std::string job_;
    std::mutex mutex_;
    std::condition_variable over_;
    bool is_over_ = false;
    int stop_fd_ = -1;  // Readable once it must stop, so that a call does not delay the stop.
    std::thread thread_;
};

}  // namespace berth::slurm
