#include "apps/berth_agent/pulse.h"

#include <utility>

namespace berth {

Pulse::Pulse(Settings settings, Send send)
    : settings_(settings), send_(std::move(send)), thread_([this] { run(); }) {}

Pulse::~Pulse() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Pulse::turn_begins() {
    const std::lock_guard lock(mutex_);
    since_ = std::chrono::steady_clock::now();
}

void Pulse::turn_ends() {
    const std::lock_guard lock(mutex_);
    since_.reset();
}

void Pulse::sent(const OutgoingReport& report) {
    const std::lock_guard lock(mutex_);
    heartbeat_ = OutgoingReport{report.link,
                                Report{report.report.boot_id, report.report.session, Heartbeat{}}};
}

void Pulse::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        changed_.wait_for(lock, settings_.every, [&] { return stopping_; });
        if (stopping_ || !since_ || !heartbeat_) continue;
        const auto lasts = std::chrono::steady_clock::now() - *since_;
        if (lasts < settings_.every || lasts > settings_.longest) continue;
        OutgoingReport heartbeat = *heartbeat_;
        lock.unlock();
        send_(std::move(heartbeat));
        lock.lock();
    }
}

}  // namespace berth
