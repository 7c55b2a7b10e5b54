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

// It gets the node's name and boot id as arguments: see site_program.h.
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
