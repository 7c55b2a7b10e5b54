// HoleIndex: for each class of nodes and each level of demand, the holes in which a node has that
// much to give. Exact: it changes with every booking.
//
// A level is a number of the class's key devices, or for demands without any, a power of two of
// CPUs; beside that, the least CPU and memory that anyone on that level asks for. A search takes
// the holes of its level, which are too many rather than too few, and looks closer where its own
// demand is more than the level's.
#pragma once

#include <vector>

#include "berth/engine/hole_tree.h"
#include "berth/engine/node_classes.h"
#include "berth/engine/timeline.h"

namespace berth {

// The holes of one node on each level, within some span of time.
using HoleRuns = std::vector<std::vector<std::pair<Time, Time>>>;

// The levels that are in use, by class: the same for all indexes over one plan.
class HoleLevels {
public:
    struct Level {
        std::int64_t rank = 0;  // Devices; or -1, -2 … for powers of two of CPUs.
        std::int64_t devices = 0, cpu = 0, memory = 0;
        std::uint32_t lowered = 0;
    };

    HoleLevels() = default;
    explicit HoleLevels(const NodeClasses& classes);

    struct Found {
        std::size_t level = 0;
        bool changed = false;  // It is new, or lower than it was: fill it again.
    };
    // The level for what a demand takes of one node.
    Found level_for(std::size_t node_class, const Resources& take);
    // Whether a hole of the level is one for this demand, without a closer look.
    bool is_exact(std::size_t node_class, std::size_t level, const Resources& take) const;

    std::size_t count(std::size_t node_class) const { return levels_[node_class].size(); }

    // The holes on all levels that touch [from, until], whole.
    void collect(std::size_t node_class, const Timeline& timeline, Time from, Time until,
                 HoleRuns& runs) const;

private:
    std::uint64_t levels_met(std::size_t node_class, const Timeline& timeline,
                             std::size_t step) const;

    std::vector<std::vector<Level>> levels_;
    std::vector<DimensionId> key_;
};

class HoleIndex {
public:
    HoleIndex() = default;
    explicit HoleIndex(std::size_t classes) : trees_(classes) {}

    const HoleTree& tree(std::size_t node_class, std::size_t level) const {
        return trees_[node_class][level];
    }
    void set_levels(std::size_t node_class, std::size_t levels) {
        trees_[node_class].resize(levels);
    }
    void clear();

    // What `before` was is now `now`, both in order.
    void replace(std::size_t node_class, NodeId node, const HoleRuns& before, const HoleRuns& now);
    void insert(std::size_t node_class, NodeId node, const HoleRuns& runs);
    void clear_level(std::size_t node_class, std::size_t level) {
        trees_[node_class][level].clear();
    }
    void insert_level(std::size_t node_class, NodeId node, const HoleRuns& runs, std::size_t level);

private:
    std::vector<std::vector<HoleTree>> trees_;
};

}  // namespace berth
