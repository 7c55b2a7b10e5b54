#include "apps/berth_agent/renewal.h"

#include "apps/daemon/wall_clock.h"

namespace berth {

namespace {

constexpr std::chrono::hours kLookEvery{1};

}  // namespace

Renewal::Renewal(NodeKeys keys, TcpAddress controller, LogSink& log)
    : keys_(std::move(keys)),
      controller_(std::move(controller)),
      log_(log),
      thread_([this] { run(); }) {}

Renewal::~Renewal() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Renewal::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        lock.unlock();
        const Status renewed = keys_.renew_if_due(controller_, SystemClock().now(), log_);
        if (!renewed.ok()) log_.write(LogLevel::warning, "agent", renewed.error().message);
        lock.lock();
        changed_.wait_for(lock, kLookEvery, [&] { return stopping_; });
    }
}

}  // namespace berth
