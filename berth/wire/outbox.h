// Outbox: a queue with a thread of its own that carries what the controller's thread hands over, in
// order, so that reading scripts and encoding messages do not delay the controller.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace berth {

template <class Item>
class Outbox {
public:
    // put() blocks while `most` items wait.
    Outbox(std::size_t most, std::function<void(Item)> carry)
        : most_(most), carry_(std::move(carry)), thread_([this] { run(); }) {}
    ~Outbox() { stop(); }
    Outbox(const Outbox&) = delete;
    Outbox& operator=(const Outbox&) = delete;

    void put(Item item) {
        std::unique_lock lock(mutex_);
        taken_.wait(lock, [&] { return items_.size() < most_ || stopped_; });
        items_.push_back(std::move(item));
        if (items_.size() == 1) filled_.notify_one();
    }
    // Items still in the queue are dropped.
    void stop() {
        {
            const std::lock_guard lock(mutex_);
            stopped_ = true;
        }
        filled_.notify_one();
        taken_.notify_all();
        if (thread_.joinable()) thread_.join();
    }

private:
    void run() {
        std::vector<Item> taken;
        std::unique_lock lock(mutex_);
        while (true) {
            filled_.wait(lock, [&] { return !items_.empty() || stopped_; });
            if (stopped_) return;
            taken.swap(items_);
            taken_.notify_all();
            lock.unlock();
            for (Item& item : taken) carry_(std::move(item));
            taken.clear();
            lock.lock();
        }
    }

    const std::size_t most_;
    const std::function<void(Item)> carry_;
    std::mutex mutex_;
    std::condition_variable filled_, taken_;
    std::vector<Item> items_;
    bool stopped_ = false;
    std::thread thread_;  // Last, because it uses all members above.
};

}  // namespace berth
