// Renewal: renews this node's certificate in time, on a thread of its own.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "apps/berth_agent/node_keys.h"

namespace berth {

class Renewal {
public:
    Renewal(NodeKeys keys, TcpAddress controller, LogSink& log);
    ~Renewal();
    Renewal(const Renewal&) = delete;
    Renewal& operator=(const Renewal&) = delete;

private:
    void run();

    NodeKeys keys_;
    TcpAddress controller_;
    LogSink& log_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    std::thread thread_;  // Last, because it uses all members above.
};

}  // namespace berth
