// NodePrograms: the site's programs for its nodes (health check, reboot), each on a thread of its
// own.
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
    ~NodePrograms();  // Kills what still runs, but for a reboot, and tells no one.

    // At most one of a kind at a time: the agent sees to it.
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
