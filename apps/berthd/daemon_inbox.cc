#include "apps/berthd/daemon_inbox.h"

#include <algorithm>
#include <chrono>

namespace berth {

namespace {

// The wall clock may jump during a wait, which uses the steady clock: so look again this often.
constexpr Duration kLongestWait = std::chrono::seconds(5);

// In one turn, so that no turn takes long.
constexpr std::size_t kInputsPerTurn = 4096;

}  // namespace

bool DaemonInbox::try_push(Input input) {
    const std::lock_guard lock(mutex_);
    if (inputs_.size() >= most_ || stopped_) return false;
    inputs_.push_back(std::move(input));
    filled_.notify_one();
    return true;
}

void DaemonInbox::push(Input input) {
    std::unique_lock lock(mutex_);
    drained_.wait(lock, [&] { return inputs_.size() < most_ || stopped_; });
    if (stopped_) return;
    inputs_.push_back(std::move(input));
    filled_.notify_one();
}

std::vector<Input> DaemonInbox::wait_until(std::optional<Time> deadline) {
    std::unique_lock lock(mutex_);
    while (inputs_.empty() && !stopped_) {
        Duration wait = kLongestWait;
        if (deadline) wait = std::min(wait, *deadline - clock_.now());
        if (wait <= Duration{}) break;
        filled_.wait_for(lock, wait);
    }
    std::vector<Input> taken;
    if (inputs_.size() <= kInputsPerTurn) {
        taken.swap(inputs_);
    } else {
        const auto end = inputs_.begin() + kInputsPerTurn;
        taken.assign(std::make_move_iterator(inputs_.begin()), std::make_move_iterator(end));
        inputs_.erase(inputs_.begin(), end);
    }
    drained_.notify_all();
    return taken;
}

void DaemonInbox::stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    filled_.notify_all();
    drained_.notify_all();
}

bool DaemonInbox::stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
}

}  // namespace berth
