#include "berth/engine/plan/limit_counters.h"

#include <algorithm>

#include "berth/engine/plan/slot_hash.h"

namespace berth {
namespace {

std::uint64_t counter_hash(const LimitCounter& what) {
    SlotHash hash;
    hash.add(std::uint64_t{what.of} << 32 | what.within);
    hash.add(std::uint64_t{what.dimensions} << 32 | what.license);
    hash.add(static_cast<std::uint64_t>(what.holder) << 24 |
             static_cast<std::uint64_t>(what.what) << 16 |
             static_cast<std::uint64_t>(what.kind) << 8 | (what.of_type ? 1U : 0U));
    return hash.value();
}

}  // namespace

// Where it is, or where it would be put.
std::size_t LimitCounters::place_of(const LimitCounter& what) const {
    const std::size_t last = places_.size() - 1;
    std::size_t place = counter_hash(what) & last;
    while (places_[place] != 0 && counters_[places_[place] - 1].what != what)
        place = (place + 1) & last;
    return place;
}

void LimitCounters::grow() {
    constexpr std::size_t kLeast = 64;
    places_.assign(std::max(kLeast, 2 * places_.size()), 0);
    Number number = 0;
    for (const Counter& counter : counters_) places_[place_of(counter.what)] = ++number;
}

LimitCounters::Number LimitCounters::number_of(const LimitCounter& what, std::int64_t most) {
    if (4 * (counters_.size() + 1) > 3 * places_.size()) grow();
    Number& known = places_[place_of(what)];
    if (known == 0) {
        counters_.push_back({what, CountTimeline(most)});
        known = static_cast<Number>(counters_.size());
    }
    return known - 1;
}

void LimitCounters::clear() {
    counters_.clear();
    places_.clear();
}

}  // namespace berth
