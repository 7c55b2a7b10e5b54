// Pulse: sends heartbeats while a turn of the agent takes long because a disk or a launcher is
// slow. The node and its jobs are alive meanwhile.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "berth/agent/ports.h"

namespace berth {

class Pulse {
public:
    struct Settings {
        Duration every = std::chrono::seconds(2);
        // A turn that takes longer than this is taken for hung: heartbeats stop, so that the
        // controller notices.
        Duration longest = std::chrono::minutes(5);
    };
    using Send = std::function<void(OutgoingReport)>;  // Called on a thread of its own.
    Pulse(Settings settings, Send send);
    explicit Pulse(Send send) : Pulse(Settings(), std::move(send)) {}
    ~Pulse();
    Pulse(const Pulse&) = delete;
    Pulse& operator=(const Pulse&) = delete;

    void turn_begins();
    void turn_ends();
    // Heartbeats use the session of the last report.
    void sent(const OutgoingReport& report);

private:
    void run();

    const Settings settings_;
    const Send send_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<std::chrono::steady_clock::time_point> since_;  // When the turn under way began.
    std::optional<OutgoingReport> heartbeat_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace berth
