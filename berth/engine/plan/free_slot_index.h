// FreeSlotIndex: for each node class and each level of demand, the free slots: the spans of time in
// which a node can give that much. The index is exact: every change of a timeline updates it.
//
// A level is a count of the class's key devices or, for demands without devices, a power of two of
// CPUs, together with the least CPU and memory that any demand of that level takes. A search reads
// the free slots of its level. These may include slots that are too small, never omit one that
// fits; where its own demand exceeds the level, the search checks the timeline.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "berth/engine/plan/free_slot_tree.h"
#include "berth/engine/plan/node_classes.h"
#include "berth/engine/plan/slot_front.h"
#include "berth/engine/plan/timeline.h"

namespace berth {

// The free slots of one node on each level, within some span of time.
using FreeSlotRuns = std::vector<std::vector<std::pair<Time, Time>>>;

// How a change of a node's timeline changed the node's free slots.
struct FreeSlotChange {
    std::uint64_t levels = 0;  // Levels that changed, one bit each.
    FreeSlotRuns before, now;  // On these levels: the free slots removed, and those added.
    // Working memory: the levels that each step met before and meets now.
    std::vector<std::uint64_t> met_before, met_now;
};

// The levels in use, by class. All indexes over one plan share them.
class FreeSlotLevels {
public:
    static constexpr std::size_t kLevelsMax = 64;  // Bits of a word.
    struct Level {
        std::int64_t rank = 0;  // Devices; or -1, -2 … for powers of two of CPUs.
        std::int64_t devices = 0, cpu = 0, memory = 0;
    };

    FreeSlotLevels() = default;
    explicit FreeSlotLevels(const NodeClasses& classes);

    struct Found {
        std::size_t level = 0;
        bool changed = false;  // The level is new or was lowered: the caller must fill it again.
    };
    // The level for what a demand takes of one node. Adds or lowers a level if necessary.
    Found level_for(std::size_t node_class, const Resources& take);
    // Whether every free slot of the level has at least these key devices, CPUs and memory.
    bool has_all(std::size_t node_class, std::size_t level, const Resources& take) const;
    // Whether the demand takes dimensions that levels ignore.
    bool takes_others(std::size_t node_class, const Resources& take) const;

    std::size_t count(std::size_t node_class) const { return classes_[node_class].levels.size(); }

    // The free slots on all levels that touch [from, until], in full length.
    void collect(std::size_t node_class, const Timeline& timeline, Time from, Time until,
                 FreeSlotRuns& runs) const;

    // Call note_before(), change these steps of the timeline, then call note_after().
    void note_before(std::size_t node_class, const Timeline& timeline, const Timeline::Steps& steps,
                     FreeSlotChange& change) const;
    void note_after(std::size_t node_class, const Timeline& timeline, const Timeline::Steps& steps,
                    FreeSlotChange& change) const;

private:
    // By level; only those are set that somebody asked for.
    struct Begun {
        std::int64_t at[kLevelsMax];  // NOLINT(modernize-avoid-c-arrays): not set to zero first.
        void set(std::size_t level, Time time) { at[level] = time.time_since_epoch().count(); }
        Time operator[](std::size_t level) const { return Time(Duration(at[level])); }
    };
    // For each of these levels, finds the time since which it has been met without a gap, going
    // left from this step.
    void go_left(std::size_t node_class, const Timeline& timeline, std::size_t step,
                 std::uint64_t levels, Begun& begun) const;
    // For each of these levels, finds the time until which it stays met, going right from this
    // step.
    void go_right(std::size_t node_class, const Timeline& timeline, std::size_t step,
                  std::uint64_t levels, Begun& ends) const;
    // Levels that this device count satisfies, and the largest CPU and memory among them.
    struct WithDevices {
        std::uint64_t levels = 0;
        std::int64_t cpu = 0, memory = 0;
    };
    // Larger device counts are treated as this one.
    static constexpr std::int64_t kDevicesMax = 64;
    struct OfClass {
        std::vector<Level> levels;
        std::vector<WithDevices> with_devices;
        DimensionId key{0};

        void list_by_devices();
    };
    std::uint64_t levels_met(std::size_t node_class, const Timeline& timeline,
                             std::size_t step) const;

    std::vector<OfClass> classes_;
};

class FreeSlotIndex {
public:
    FreeSlotIndex() = default;
    explicit FreeSlotIndex(std::size_t classes) : levels_(classes) {}

    const FreeSlotTree& tree(std::size_t node_class, std::size_t level) const {
        return levels_[node_class][level].slots;
    }
    // The earliest time from `earliest` on at which some node of the class gives that much for so
    // long; kNever: there is none. It costs a fraction of a search of the tree.
    Time first_start(std::size_t node_class, std::size_t level, Duration length,
                     Time earliest) const;

    void set_levels(std::size_t node_class, std::size_t levels) {
        while (levels_[node_class].size() < levels) levels_[node_class].emplace_back(parts_);
    }
    void clear();

    // Replaces the free slots `before` by `now` on these levels. Both are sorted by start.
    void replace(std::size_t node_class, NodeId node, std::uint64_t levels,
                 const FreeSlotRuns& before, const FreeSlotRuns& now);
    void insert(std::size_t node_class, NodeId node, const FreeSlotRuns& runs);
    void clear_level(std::size_t node_class, std::size_t level) {
        levels_[node_class][level].clear();
    }
    void insert_level(std::size_t node_class, NodeId node, const FreeSlotRuns& runs,
                      std::size_t level);

private:
    struct Level {
        explicit Level(std::shared_ptr<FreeSlotParts> parts) : slots(std::move(parts)) {}
        void insert(const FreeSlot& free_slot);
        void erase(const FreeSlot& free_slot);
        void set_end(const FreeSlot& free_slot, Time end);
        void clear();

        FreeSlotTree slots;
        mutable SlotFront front;  // Of the slots; repaired when it is asked for.
    };

    std::shared_ptr<FreeSlotParts> parts_ = std::make_shared<FreeSlotParts>();
    std::vector<std::vector<Level>> levels_;  // By class.
};

}  // namespace berth
