// ConfigReader: reads the configuration again, on a thread of its own, for those who ask the
// controller to take it up.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "berth/control/core/ports.h"

namespace berth {

class ConfigReader {
public:
    // `read` is called on that thread; what it gives goes on to `push`, which may wait.
    ConfigReader(std::function<Result<ClusterSpec>()> read, std::function<void(Input)> push);
    ~ConfigReader();  // What is not read by then is dropped.

    // A Reconfigure without a configuration. From any thread. False: too many wait already.
    bool put(ClientInput input);

private:
    void work();

    const std::function<Result<ClusterSpec>()> read_;
    const std::function<void(Input)> push_;
    std::mutex mutex_;
    std::condition_variable asked_;
    std::deque<ClientInput> waiting_;
    bool stopped_ = false;
    std::thread thread_;
};

}  // namespace berth
