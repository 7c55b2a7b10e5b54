// For tests of the link: collects what the other side has pushed, in order; a test can wait for an
// item.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "berth/model/report.h"

namespace berth {

template <class T>
class Mailbox {
public:
    void push(T item) {
        const std::lock_guard lock(mutex_);
        items_.push_back(std::move(item));
        changed_.notify_all();
    }
    template <class Kind>
    std::optional<Kind> wait_for(std::chrono::milliseconds most = std::chrono::seconds(20)) {
        std::unique_lock lock(mutex_);
        std::optional<Kind> found;
        changed_.wait_for(lock, most, [&] {
            for (std::size_t i = 0; i < items_.size(); ++i) {
                if (auto* const item = std::get_if<Kind>(&items_[i])) {
                    found = std::move(*item);
                    items_.erase(items_.begin(),
                                 items_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                    return true;
                }
            }
            return false;
        });
        return found;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<T> items_;
};

inline Report heartbeat() { return {.boot_id = "boot", .session = 7, .body = Heartbeat{}}; }

}  // namespace berth
