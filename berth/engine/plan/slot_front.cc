#include "berth/engine/plan/slot_front.h"

#include <algorithm>

#include "berth/engine/plan/timeline.h"

namespace berth {

void SlotFront::add(Time start, Time end) {
    // What begins no later and ends no earlier contains it.
    const auto next = std::ranges::upper_bound(slots_, start, {}, &Slot::start);
    if (next != slots_.begin() && std::prev(next)->end >= end) return;
    // It contains what begins no earlier and ends no later.
    const auto first = std::ranges::lower_bound(slots_.begin(), next, start, {}, &Slot::start);
    const auto last = std::ranges::upper_bound(first, slots_.end(), end, {}, &Slot::end);
    listed_for_.reset();
    if (first == last) {
        slots_.insert(first, {start, end});
        return;
    }
    *first = {start, end};
    slots_.erase(first + 1, last);
}

void SlotFront::remove(Time start, Time end) {
    const auto at = std::ranges::lower_bound(slots_, start, {}, &Slot::start);
    if (at == slots_.end() || *at != Slot{start, end}) return;
    slots_.erase(at);
    listed_for_.reset();
    stale_from_ = std::min(stale_from_, start);
    stale_until_ = std::max(stale_until_, end);
}

void SlotFront::clear() {
    slots_.clear();
    listed_for_.reset();
    stale_from_ = Time::max();
    stale_until_ = Time::min();
}

void SlotFront::refill(const FreeSlotTree& slots) {
    const auto first = std::ranges::lower_bound(slots_, stale_from_, {}, &Slot::start);
    const auto last = std::ranges::lower_bound(first, slots_.end(), stale_until_, {}, &Slot::start);
    Time reach = first == slots_.begin() ? Time::min() : std::prev(first)->end;
    std::vector<Slot> found;
    while (reach != kNever) {
        const Time beyond = reach == Time::min() ? reach : reach + Duration(1);
        const FreeSlotTree::Cursor at(slots, Duration(0), beyond, stale_until_ - Duration(1));
        if (!at.valid()) break;
        const FreeSlot slot = at.free_slot();
        if (!found.empty() && found.back().start == slot.start) found.pop_back();
        found.push_back({slot.start, slot.end});
        reach = slot.end;
    }
    const auto place = slots_.erase(first, last);
    slots_.insert(place, found.begin(), found.end());
    stale_from_ = Time::max();
    stale_until_ = Time::min();
}

void SlotFront::list_longest(Time earliest) {
    longest_.clear();
    for (const Slot& slot : slots_) {
        const Time start = std::max(slot.start, earliest);
        const Duration length = slot.end == kNever ? Duration::max() : slot.end - start;
        const Duration before = longest_.empty() ? Duration(0) : longest_.back().length;
        if (length <= before) continue;
        if (!longest_.empty() && longest_.back().start == start) longest_.pop_back();
        longest_.push_back({start, length});
    }
    listed_for_ = earliest;
}

Time SlotFront::first_start(const FreeSlotTree& slots, Duration length, Time earliest) {
    if (stale_from_ < stale_until_) refill(slots);
    if (listed_for_ != earliest) list_longest(earliest);
    const auto first = std::ranges::lower_bound(longest_, length, {}, &Longest::length);
    return first == longest_.end() ? kNever : first->start;
}

}  // namespace berth
