// Flow: jobs that come, run for a second or so on emulated nodes, and end, with a queue kept at one
// length behind them.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/control_load.h"

namespace berth::bench {

class Flow {
public:
    struct Settings {
        std::uint64_t pending = 10'000;
        std::size_t connections = 64;
    };
    Flow(LiveDaemon& daemon, Settings settings);
    ~Flow();

    // Until the queue is as long as it is to be, and every node has been through a few jobs.
    void warm_up();

    struct Reading {
        double jobs = 0, seconds = 0;  // Ended, and the controller has it on its disk.
        std::uint64_t pending = 0;     // At the end.
        double submit_p99_ms = 0;
        LiveDaemon::Cost cost;
    };
    Reading run_for(std::chrono::milliseconds length);

    // Lets all jobs run to their end, and asks accounting for each.
    void finish_and_check();

private:
    void submit();

    LiveDaemon& daemon_;
    Settings settings_;
    std::unique_ptr<EmulatedAgents> agents_;
    std::atomic<const EmulatedAgents*> counted_ = nullptr;  // The same, for the submitting thread.
    std::atomic<bool> stopping_ = false;
    std::atomic<std::uint64_t> sent_ = 0;
    std::mutex mutex_;  // Of what follows.
    std::vector<std::uint32_t> jobs_;
    Times times_;
    std::thread submitter_;
};

}  // namespace berth::bench
