#include "berth/engine/plan/free_slot_index.h"

#include <algorithm>
#include <bit>

#include "berth/base/assert.h"

namespace berth {
namespace {

template <class Visit>
void each_level(std::uint64_t levels, Visit&& visit) {
    for (; levels != 0; levels &= levels - 1) {
        visit(static_cast<std::size_t>(std::countr_zero(levels)));
    }
}

// A level is lowered to a power of two at once: each lowering means filling the level anew, and
// demands that shrink step by step must not cause one each.
std::int64_t floor_power(std::int64_t n) {
    return n <= 0 ? 0 : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
}

std::int64_t lowered_to(std::int64_t have, std::int64_t asked) {
    return asked >= have ? have : floor_power(asked);
}

}  // namespace

FreeSlotLevels::FreeSlotLevels(const NodeClasses& classes) : classes_(classes.size()) {
    for (std::size_t c = 0; c < classes.size(); ++c) {
        classes_[c].key = classes.key_dimension(c);
        classes_[c].list_by_devices();
    }
}

void FreeSlotLevels::OfClass::list_by_devices() {
    std::int64_t most = 0;
    for (const Level& level : levels) most = std::max(most, level.devices);
    with_devices.assign(static_cast<std::size_t>(std::min(most, kDevicesMax)) + 1, {});
    for (std::size_t n = 0; n < with_devices.size(); ++n) {
        WithDevices& with = with_devices[n];
        // The last row stands for every larger count, so it forces a check of each level.
        const bool is_more = n == static_cast<std::size_t>(kDevicesMax);
        if (is_more) with.cpu = INT64_MAX;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            if (!is_more && levels[i].devices > static_cast<std::int64_t>(n)) continue;
            with.levels |= std::uint64_t{1} << i;
            with.cpu = std::max(with.cpu, levels[i].cpu);
            with.memory = std::max(with.memory, levels[i].memory);
        }
    }
}

FreeSlotLevels::Found FreeSlotLevels::level_for(std::size_t node_class, const Resources& take) {
    const DimensionId key = classes_[node_class].key;
    const std::int64_t cpu = take.cpu().count(), memory = take.memory().count();
    const std::int64_t devices = key == kCpuDimension ? 0 : take[key];
    const auto cores = static_cast<std::uint64_t>(cpu / 1000);
    const std::int64_t rank =
        devices > 0 ? devices : -static_cast<std::int64_t>(std::bit_width(cores));
    std::vector<Level>& levels = classes_[node_class].levels;
    auto level = std::ranges::find(levels, rank, &Level::rank);
    // If no level is left, the next lower one serves.
    if (level == levels.end() && levels.size() == kLevelsMax) {
        level = levels.begin();
        for (auto other = levels.begin(); other != levels.end(); ++other) {
            const bool serves = other->devices <= devices;
            if (serves && (level->devices > devices || other->devices > level->devices)) {
                level = other;
            }
        }
    }
    if (level == levels.end()) {
        levels.push_back({rank, devices, cpu, memory});
        classes_[node_class].list_by_devices();
        return {levels.size() - 1, true};
    }
    const bool changed = level->devices > devices || level->cpu > cpu || level->memory > memory;
    if (changed) {
        level->devices = std::min(level->devices, devices);
        level->cpu = lowered_to(level->cpu, cpu);
        level->memory = lowered_to(level->memory, memory);
        classes_[node_class].list_by_devices();
    }
    return {static_cast<std::size_t>(level - levels.begin()), changed};
}

bool FreeSlotLevels::has_all(std::size_t node_class, std::size_t level,
                             const Resources& take) const {
    const Level& one = classes_[node_class].levels[level];
    const DimensionId key = classes_[node_class].key;
    const bool has_key = key == kCpuDimension || take[key] <= one.devices;
    return has_key && take.cpu().count() <= one.cpu && take.memory().count() <= one.memory;
}

bool FreeSlotLevels::takes_others(std::size_t node_class, const Resources& take) const {
    Resources others = take;
    others[kCpuDimension] = others[kMemoryDimension] = others[classes_[node_class].key] = 0;
    return !fits(others, Resources{});
}

std::uint64_t FreeSlotLevels::levels_met(std::size_t node_class, const Timeline& timeline,
                                         std::size_t step) const {
    const OfClass& known = classes_[node_class];
    const auto free = timeline.free(step);
    const std::int64_t devices = known.key == kCpuDimension ? 0 : free[known.key.index()];
    if (devices < 0) return 0;
    const auto row = std::min(static_cast<std::size_t>(devices), known.with_devices.size() - 1);
    const WithDevices& with = known.with_devices[row];
    const std::int64_t cpu = free[kCpuDimension.index()], memory = free[kMemoryDimension.index()];
    if (with.cpu <= cpu && with.memory <= memory) return with.levels;
    std::uint64_t met = 0;
    each_level(with.levels, [&](std::size_t i) {
        const Level& level = known.levels[i];
        const bool fits = level.devices <= devices && level.cpu <= cpu && level.memory <= memory;
        met |= std::uint64_t{fits} << i;
    });
    return met;
}

void FreeSlotLevels::go_left(std::size_t node_class, const Timeline& timeline, std::size_t step,
                             std::uint64_t levels, Begun& begun) const {
    while (levels != 0) {
        const std::uint64_t more = step == 0 ? 0 : levels_met(node_class, timeline, step - 1);
        each_level(levels & ~more, [&](std::size_t l) { begun.set(l, timeline.start(step)); });
        levels &= more;
        --step;
    }
}

void FreeSlotLevels::go_right(std::size_t node_class, const Timeline& timeline, std::size_t step,
                              std::uint64_t levels, Begun& ends) const {
    while (levels != 0) {
        const bool is_last = ++step == timeline.size();
        const std::uint64_t more = is_last ? 0 : levels_met(node_class, timeline, step);
        const Time end = is_last ? kNever : timeline.start(step);
        each_level(levels & ~more, [&](std::size_t l) { ends.set(l, end); });
        levels &= more;
    }
}

void FreeSlotLevels::collect(std::size_t node_class, const Timeline& timeline, Time from,
                             Time until, FreeSlotRuns& runs) const {
    const std::size_t levels = classes_[node_class].levels.size();
    runs.resize(std::max(runs.size(), levels));
    for (auto& level : runs) level.clear();
    Begun begun, ends;
    std::size_t i = timeline.step_at(from);
    std::uint64_t open = levels_met(node_class, timeline, i);
    go_left(node_class, timeline, i, open, begun);
    for (; i + 1 < timeline.size() && timeline.start(i + 1) <= until; ++i) {
        const std::uint64_t met = levels_met(node_class, timeline, i + 1);
        const Time at = timeline.start(i + 1);
        each_level(open & ~met, [&](std::size_t l) { runs[l].emplace_back(begun[l], at); });
        each_level(met & ~open, [&](std::size_t l) { begun.set(l, at); });
        open = met;
    }
    go_right(node_class, timeline, i, open, ends);
    each_level(open, [&](std::size_t l) { runs[l].emplace_back(begun[l], ends[l]); });
}

void FreeSlotLevels::note_before(std::size_t node_class, const Timeline& timeline,
                                 const Timeline::Steps& steps, FreeSlotChange& change) const {
    change.met_before.clear();
    for (std::size_t i = steps.first; i < steps.last; ++i) {
        change.met_before.push_back(levels_met(node_class, timeline, i));
    }
}

// Free slots change only on levels that some step now meets and did not before, or the reverse. On
// these levels a slot may extend beyond the steps, to the left and to the right.
void FreeSlotLevels::note_after(std::size_t node_class, const Timeline& timeline,
                                const Timeline::Steps& steps, FreeSlotChange& change) const {
    change.met_now.clear();
    change.levels = 0;
    for (std::size_t i = steps.first; i < steps.last; ++i) {
        change.met_now.push_back(levels_met(node_class, timeline, i));
        change.levels |= change.met_now.back() ^ change.met_before[i - steps.first];
    }
    if (change.levels == 0) return;
    const std::uint64_t at_first = change.met_before.front() | change.met_now.front();
    const std::uint64_t at_last = change.met_before.back() | change.met_now.back();
    std::uint64_t left = change.levels & at_first, right = change.levels & at_last;
    Begun begun_left, ends_right;
    const bool ends = steps.last == timeline.size();
    left &= steps.first == 0 ? 0 : levels_met(node_class, timeline, steps.first - 1);
    right &= ends ? 0 : levels_met(node_class, timeline, steps.last);
    if (left != 0) go_left(node_class, timeline, steps.first - 1, left, begun_left);
    if (right != 0) go_right(node_class, timeline, steps.last, right, ends_right);
    const Time end = ends ? kNever : timeline.start(steps.last);
    const std::size_t count = classes_[node_class].levels.size();
    const auto fill = [&](const std::vector<std::uint64_t>& met, FreeSlotRuns& runs) {
        runs.resize(std::max(runs.size(), count));
        each_level(change.levels, [&](std::size_t l) { runs[l].clear(); });
        Begun begun;
        each_level(left, [&](std::size_t l) { begun.set(l, begun_left[l]); });
        std::uint64_t open = left;
        const auto turn_to = [&](std::uint64_t now, Time at) {
            each_level(open & ~now, [&](std::size_t l) { runs[l].emplace_back(begun[l], at); });
            each_level(now & ~open, [&](std::size_t l) { begun.set(l, at); });
            open = now;
        };
        for (std::size_t i = 0; i < met.size(); ++i) {
            turn_to(met[i] & change.levels, timeline.start(steps.first + i));
        }
        turn_to(right, end);
        each_level(right, [&](std::size_t l) { runs[l].emplace_back(begun[l], ends_right[l]); });
    };
    fill(change.met_before, change.before);
    fill(change.met_now, change.now);
}

void FreeSlotIndex::Level::insert(const FreeSlot& free_slot) {
    slots.insert(free_slot);
    front.add(free_slot.start, free_slot.end);
}

void FreeSlotIndex::Level::erase(const FreeSlot& free_slot) {
    slots.erase(free_slot);
    front.remove(free_slot.start, free_slot.end);
}

void FreeSlotIndex::Level::set_end(const FreeSlot& free_slot, Time end) {
    slots.set_end(free_slot, end);
    front.remove(free_slot.start, free_slot.end);
    front.add(free_slot.start, end);
}

void FreeSlotIndex::Level::clear() {
    slots.clear();
    front.clear();
}

Time FreeSlotIndex::first_start(std::size_t node_class, std::size_t level, Duration length,
                                Time earliest) const {
    const Level& asked = levels_[node_class][level];
    return asked.front.first_start(asked.slots, length, earliest);
}

void FreeSlotIndex::clear() {
    for (auto& levels : levels_) {
        for (Level& level : levels) level.clear();
    }
}

void FreeSlotIndex::replace(std::size_t node_class, NodeId node, std::uint64_t levels,
                            const FreeSlotRuns& before, const FreeSlotRuns& now) {
    each_level(levels, [&](std::size_t number) {
        Level& level = levels_[node_class][number];
        auto old = before[number].begin();
        const auto old_end = before[number].end();
        for (const auto& [start, end] : now[number]) {
            for (; old != old_end && old->first < start; ++old) {
                level.erase({old->first, old->second, node});
            }
            if (old == old_end || old->first != start) {
                level.insert({start, end, node});
                continue;
            }
            if (old->second != end) level.set_end({start, old->second, node}, end);
            ++old;
        }
        for (; old != old_end; ++old) level.erase({old->first, old->second, node});
    });
}

void FreeSlotIndex::insert_level(std::size_t node_class, NodeId node, const FreeSlotRuns& runs,
                                 std::size_t level) {
    for (const auto& [start, end] : runs[level]) {
        levels_[node_class][level].insert({start, end, node});
    }
}

void FreeSlotIndex::insert(std::size_t node_class, NodeId node, const FreeSlotRuns& runs) {
    for (std::size_t level = 0; level < levels_[node_class].size(); ++level) {
        insert_level(node_class, node, runs, level);
    }
}

}  // namespace berth
