#include "berth/engine/hole_index.h"

#include <algorithm>
#include <array>
#include <bit>

#include "berth/base/assert.h"

namespace berth {
namespace {

constexpr std::size_t kLevelsMax = 64;  // Bits of a word.

// Who asks for a little less than all before is served by going down a good deal at once: lowering
// a level means filling it anew.
std::int64_t floor_power(std::int64_t n) {
    return n <= 0 ? 0 : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
}

std::int64_t lowered_to(std::int64_t have, std::int64_t asked) {
    return asked >= have ? have : floor_power(asked);
}

}  // namespace

HoleLevels::HoleLevels(const NodeClasses& classes) : levels_(classes.size()) {
    for (std::size_t c = 0; c < classes.size(); ++c) key_.push_back(classes.key_dimension(c));
}

HoleLevels::Found HoleLevels::level_for(std::size_t node_class, const Resources& take) {
    const DimensionId key = key_[node_class];
    const std::int64_t cpu = take.cpu().count(), memory = take.memory().count();
    const std::int64_t devices = key == kCpuDimension ? 0 : take[key];
    const auto cores = static_cast<std::uint64_t>(cpu / 1000);
    const std::int64_t rank =
        devices > 0 ? devices : -static_cast<std::int64_t>(std::bit_width(cores));
    std::vector<Level>& levels = levels_[node_class];
    auto level = std::ranges::find(levels, rank, &Level::rank);
    if (level == levels.end() && levels.size() == kLevelsMax) {  // The next lower one will do.
        level = levels.begin();
        for (auto other = levels.begin(); other != levels.end(); ++other) {
            const bool serves = other->devices <= devices;
            if (serves && (level->devices > devices || other->devices > level->devices)) {
                level = other;
            }
        }
    }
    if (level == levels.end()) {
        levels.push_back({rank, devices, cpu, memory, 0});
        return {levels.size() - 1, true};
    }
    const bool changed = level->devices > devices || level->cpu > cpu || level->memory > memory;
    if (changed) {
        level->devices = std::min(level->devices, devices);
        level->cpu = lowered_to(level->cpu, cpu);
        level->memory = lowered_to(level->memory, memory);
    }
    return {static_cast<std::size_t>(level - levels.begin()), changed};
}

bool HoleLevels::is_exact(std::size_t node_class, std::size_t level, const Resources& take) const {
    const Level& one = levels_[node_class][level];
    const DimensionId key = key_[node_class];
    for (std::uint32_t d = 0; d < kDimensionsMax; ++d) {
        const DimensionId dimension(d);
        const std::int64_t known = dimension == kCpuDimension      ? one.cpu
                                   : dimension == kMemoryDimension ? one.memory
                                   : dimension == key              ? one.devices
                                                                   : 0;
        if (take[dimension] > known) return false;
    }
    return true;
}

std::uint64_t HoleLevels::levels_met(std::size_t node_class, const Timeline& timeline,
                                     std::size_t step) const {
    const auto free = timeline.free(step);
    const DimensionId key = key_[node_class];
    const std::int64_t devices = key == kCpuDimension ? 0 : free[key.index()];
    const std::int64_t cpu = free[kCpuDimension.index()], memory = free[kMemoryDimension.index()];
    std::uint64_t met = 0;
    const std::vector<Level>& levels = levels_[node_class];
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const Level& level = levels[i];
        const bool fits = level.devices <= devices && level.cpu <= cpu && level.memory <= memory;
        met |= std::uint64_t{fits} << i;
    }
    return met;
}

void HoleLevels::collect(std::size_t node_class, const Timeline& timeline, Time from, Time until,
                         HoleRuns& runs) const {
    const std::size_t levels = levels_[node_class].size();
    runs.resize(std::max(runs.size(), levels));
    for (auto& level : runs) level.clear();
    std::array<Time, kLevelsMax> begun;
    const auto each = [&](std::uint64_t set, auto&& visit) {
        for (; set != 0; set &= set - 1) visit(static_cast<std::size_t>(std::countr_zero(set)));
    };
    std::size_t i = timeline.step_at(from);
    std::uint64_t open = levels_met(node_class, timeline, i);
    std::uint64_t unknown = open;  // Whose beginning is further left.
    for (std::size_t left = i; unknown != 0; --left) {
        const std::uint64_t before = left == 0 ? 0 : levels_met(node_class, timeline, left - 1);
        each(unknown & ~before, [&](std::size_t l) { begun[l] = timeline.start(left); });
        unknown &= before;
    }
    const auto close = [&](std::uint64_t set, Time end) {
        each(set, [&](std::size_t l) { runs[l].emplace_back(begun[l], end); });
    };
    for (++i; i < timeline.size() && timeline.start(i) <= until; ++i) {
        const std::uint64_t met = levels_met(node_class, timeline, i);
        close(open & ~met, timeline.start(i));
        each(met & ~open, [&](std::size_t l) { begun[l] = timeline.start(i); });
        open = met;
    }
    for (; i < timeline.size() && open != 0; ++i) {
        const std::uint64_t met = levels_met(node_class, timeline, i) & open;
        close(open & ~met, timeline.start(i));
        open = met;
    }
    close(open, kNever);
}

void HoleIndex::clear() {
    for (auto& levels : trees_) {
        for (HoleTree& tree : levels) tree.clear();
    }
}

void HoleIndex::replace(std::size_t node_class, NodeId node, const HoleRuns& before,
                        const HoleRuns& now) {
    std::vector<HoleTree>& trees = trees_[node_class];
    for (std::size_t level = 0; level < trees.size(); ++level) {
        auto old = before[level].begin();
        const auto old_end = before[level].end();
        for (const auto& [start, end] : now[level]) {
            for (; old != old_end && old->first < start; ++old) {
                trees[level].erase({old->first, old->second, node});
            }
            if (old == old_end || old->first != start) {
                trees[level].insert({start, end, node});
                continue;
            }
            if (old->second != end) trees[level].set_end({start, old->second, node}, end);
            ++old;
        }
        for (; old != old_end; ++old) trees[level].erase({old->first, old->second, node});
    }
}

void HoleIndex::insert_level(std::size_t node_class, NodeId node, const HoleRuns& runs,
                             std::size_t level) {
    for (const auto& [start, end] : runs[level]) {
        trees_[node_class][level].insert({start, end, node});
    }
}

void HoleIndex::insert(std::size_t node_class, NodeId node, const HoleRuns& runs) {
    for (std::size_t level = 0; level < trees_[node_class].size(); ++level) {
        insert_level(node_class, node, runs, level);
    }
}

}  // namespace berth
