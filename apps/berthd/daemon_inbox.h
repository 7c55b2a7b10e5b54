// DaemonInbox: what the server's and the link's threads have for the controller's.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "berth/control/core/ports.h"

namespace berth {

class DaemonInbox final : public Inbox {
public:
    explicit DaemonInbox(WallClock& clock, std::size_t most = 100'000)
        : clock_(clock), most_(most) {}

    // False: it is full, and whoever asks should be told to come again.
    bool try_push(Input input);
    // Waits while it is full: what agents say is not refused. After stop() it is dropped.
    void push(Input input);

    std::vector<Input> wait_until(std::optional<Time> deadline) override;

    // wait_until() returns at once from here on.
    void stop();
    bool stopped() const;

private:
    WallClock& clock_;
    const std::size_t most_;
    mutable std::mutex mutex_;
    std::condition_variable filled_, drained_;
    std::vector<Input> inputs_;
    bool stopped_ = false;
};

}  // namespace berth
