// FenceRunner: runs the site's fence, a program that switches a node off and says so by ending
// well.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "berth/control/ports.h"

namespace berth {

// Runs it, and waits. Empty: it ended well; else how it failed: "ended with exit code 1: no
// answer". It gets the node's name and boot id as arguments, an environment of its own and no
// input. Only a program that nobody but root, or who we are, can change is run. `running` learns
// the process id, and 0 once it is over.
std::string run_fence(const FenceCall& call, const std::function<void(int)>& running);

class FenceRunner final : public Fence {
public:
    explicit FenceRunner(std::function<void(FenceAnswered)> tell);
    ~FenceRunner() override;  // Ends what still runs; nobody is told any more.

    void call(FenceCall call) override;

private:
    void work();

    std::function<void(FenceAnswered)> tell_;
    std::mutex mutex_;
    std::condition_variable called_;
    std::deque<FenceCall> calls_;
    std::set<int> running_;
    std::size_t idle_ = 0;
    bool ending_ = false;
    std::vector<std::thread> workers_;
};

}  // namespace berth
