// DaemonInbox: passes inputs from the threads of the server and the link to the controller's
// thread.
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

    // Returns false if it is full; the client should then be told to try again.
    bool try_push(Input input);
    // Blocks while it is full, since reports of agents are never refused. After stop() the input is
    // dropped.
    void push(Input input);

    std::vector<Input> wait_until(std::optional<Time> deadline) override;

    // Makes wait_until() return at once from now on.
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
