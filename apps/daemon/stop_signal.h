// StopSignal: SIGTERM and SIGINT as a call, and SIGHUP as another. To be made before any thread is
// started, so that no other thread takes the signals.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace berth {

class StopSignal {
public:
    StopSignal();  // From here on the signals wait.
    ~StopSignal();

    // Calls `stop` once, on a thread of its own, when a signal has come or comes; `again` each time
    // that SIGHUP comes until then.
    void then(std::function<void()> stop, std::function<void()> again = [] {});
    // Waits that long, before then(). True: a signal to stop has come.
    bool wait(std::chrono::milliseconds most) const;
    void rest();  // No call any more, once this has returned.

private:
    int signals_ = -1, end_ = -1;
    std::thread thread_;
};

}  // namespace berth
