// Keepalive: says to the controller now and then that this command is still there, beside whatever
// the command does. See control/attendance.h.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "berth/slurm/text/command.h"

namespace berth::slurm {

class Keepalive {
public:
    // Nothing is said in the first second: most commands are over by then, and those that fork do
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
    int stop_fd_ = -1;  // Readable once it is over: a call does not hold us up.
    std::thread thread_;
};

}  // namespace berth::slurm
