// FreeSlotIndex: for each class of nodes and each level of demand, the holes in which a node has
// that much to give. Exact: it changes with every booking.
//
// A level is a number of the class's key devices, or for demands without any, a power of two of
// CPUs; beside that, the least CPU and memory that anyone on that level asks for. A search takes
// the holes of its level, which are too many rather than too few, and looks closer where its own
// demand is more than the level's.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "berth/engine/plan/free_slot_tree.h"
#include "berth/engine/plan/node_classes.h"
#include "berth/engine/plan/timeline.h"

namespace berth {

// The holes of one node on each level, within some span of time.
using FreeSlotRuns = std::vector<std::vector<std::pair<Time, Time>>>;

// What a change of a node's timeline did to its holes.
struct FreeSlotChange {
    std::uint64_t levels = 0;  // Those that have changed, a bit each.
    FreeSlotRuns before, now;  // Of these levels: the holes that went, and those that came.
    // On the way: the levels that each of the steps had met.
    std::vector<std::uint64_t> met_before, met_now;
};

// The levels that are in use, by class: the same for all indexes over one plan.
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
        bool changed = false;  // It is new, or lower than it was: fill it again.
    };
    // The level for what a demand takes of one node.
    Found level_for(std::size_t node_class, const Resources& take);
    // Whether a hole of the level has as many key devices, CPUs and memory.
    bool has_all(std::size_t node_class, std::size_t level, const Resources& take) const;
    // Whether other dimensions are asked for, of which levels know nothing.
    bool takes_others(std::size_t node_class, const Resources& take) const;

    std::size_t count(std::size_t node_class) const { return classes_[node_class].levels.size(); }

    // The holes on all levels that touch [from, until], whole.
    void collect(std::size_t node_class, const Timeline& timeline, Time from, Time until,
                 FreeSlotRuns& runs) const;

    // To be asked before and after these steps of the timeline get more or less.
    void note_before(std::size_t node_class, const Timeline& timeline, const Timeline::Steps& steps,
                     FreeSlotChange& change) const;
    void note_after(std::size_t node_class, const Timeline& timeline, const Timeline::Steps& steps,
                    FreeSlotChange& change) const;

private:
    using Begun = std::array<Time, kLevelsMax>;  // By level.
    // From when on these levels have been met without a break, going left from this step.
    void go_left(std::size_t node_class, const Timeline& timeline, std::size_t step,
                 std::uint64_t levels, Begun& begun) const;
    // The other way: until when they will be, from this step on.
    void go_right(std::size_t node_class, const Timeline& timeline, std::size_t step,
                  std::uint64_t levels, Begun& ends) const;
    // The levels that so many devices would do for, and the most that any of them asks for besides.
    struct WithDevices {
        std::uint64_t levels = 0;
        std::int64_t cpu = 0, memory = 0;
    };
    static constexpr std::int64_t kDevicesMax = 64;  // As many are counted; more are as good.
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
    explicit FreeSlotIndex(std::size_t classes) : trees_(classes) {}

    const FreeSlotTree& tree(std::size_t node_class, std::size_t level) const {
        return trees_[node_class][level];
    }
    void set_levels(std::size_t node_class, std::size_t levels) {
        while (trees_[node_class].size() < levels) trees_[node_class].emplace_back(parts_);
    }
    void clear();

    // What `before` was on these levels is now `now`, both in order.
    void replace(std::size_t node_class, NodeId node, std::uint64_t levels,
                 const FreeSlotRuns& before, const FreeSlotRuns& now);
    void insert(std::size_t node_class, NodeId node, const FreeSlotRuns& runs);
    void clear_level(std::size_t node_class, std::size_t level) {
        trees_[node_class][level].clear();
    }
    void insert_level(std::size_t node_class, NodeId node, const FreeSlotRuns& runs,
                      std::size_t level);

private:
    std::shared_ptr<FreeSlotParts> parts_ = std::make_shared<FreeSlotParts>();
    std::vector<std::vector<FreeSlotTree>> trees_;
};

}  // namespace berth
