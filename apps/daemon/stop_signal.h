// StopSignal: turns SIGTERM and SIGINT into one callback, and SIGHUP into another. Create it before
// any thread is started, so that no other thread receives the signals.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace berth {

class StopSignal {
public:
    StopSignal();  // From now on the signals are held back.
    ~StopSignal();

    // Calls `stop` once, on its own thread, when SIGTERM or SIGINT arrives or has arrived. Until
    // then, calls `again` for each SIGHUP.
    void then(std::function<void()> stop, std::function<void()> again = [] {});
    // Waits at most this long; call before then(). Returns true if SIGTERM or SIGINT has arrived.
    bool wait(std::chrono::milliseconds most) const;
    void rest();  // On return, no further callback happens.

private:
    int signals_ = -1, end_ = -1;
    std::thread thread_;
};

}  // namespace berth
