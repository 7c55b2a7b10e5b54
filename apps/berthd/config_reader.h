// ConfigReader: reads the configuration again on a thread of its own, for clients that ask for a
// reconfigure.
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
    // `read` is called on that thread; its result goes to `push`, which may block.
    ConfigReader(std::function<Result<ClusterSpec>()> read, std::function<void(Input)> push);
    ~ConfigReader();  // Drops requests that have not been read.

    // Queues a Reconfigure without a configuration. May be called from any thread. Returns false if
    // too many wait already.
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
