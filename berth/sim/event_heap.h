// EventHeap: a queue of events by due time. Events with the same time come out in the order of
// insertion.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "berth/base/time.h"

namespace berth::sim {

template <class What>
class EventHeap {
public:
    void put(Time when, What what) {
        heap_.push_back({when, next_++, std::move(what)});
        std::push_heap(heap_.begin(), heap_.end(), Later{});
    }
    std::optional<Time> next() const {
        return heap_.empty() ? std::nullopt : std::optional(heap_.front().when);
    }
    // REQUIRES: an event is due.
    What take() {
        std::pop_heap(heap_.begin(), heap_.end(), Later{});
        What what = std::move(heap_.back().what);
        heap_.pop_back();
        return what;
    }

private:
    struct Entry {
        Time when;
        std::uint64_t number;
        What what;
    };
    struct Later {
        bool operator()(const Entry& a, const Entry& b) const {
            return a.when != b.when ? a.when > b.when : a.number > b.number;
        }
    };
    std::vector<Entry> heap_;
    std::uint64_t next_ = 0;
};

}  // namespace berth::sim
