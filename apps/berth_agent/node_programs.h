// NodePrograms: runs the site's programs for its nodes (health check, reboot), each on its own
// thread.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "berth/agent/ports.h"

namespace berth {

class NodePrograms {
public:
    NodePrograms(std::string node, std::function<void(NodeProgramExited)> tell);
    // Kills what still runs, except a reboot, without a report.
    ~NodePrograms();

    // REQUIRES: no program of the same kind runs; the agent ensures this.
    void start(const RunNodeProgram& program);

private:
    void run(const RunNodeProgram& program);

    std::string node_;
    std::function<void(NodeProgramExited)> tell_;
    std::mutex mutex_;
    bool ending_ = false;
    std::map<NodeProgram, int> running_;  // Process ids.
    std::map<NodeProgram, std::thread> threads_;
};

}  // namespace berth
