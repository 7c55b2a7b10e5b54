#include "berth/engine/hole_tree.h"

#include <algorithm>

#include "berth/base/assert.h"

namespace berth {
namespace {

std::int64_t number(Time at) { return at.time_since_epoch().count(); }

template <class Array>
void open_place(Array& array, int at, int size) {
    std::copy_backward(array.begin() + at, array.begin() + size, array.begin() + size + 1);
}

template <class Array>
void close_place(Array& array, int at, int size) {
    std::copy(array.begin() + at + 1, array.begin() + size, array.begin() + at);
}

}  // namespace

HoleTree::Key HoleTree::key_of(const Hole& hole) { return {number(hole.start), hole.node.value()}; }

// One that never ends, or has been there always, is as long as can be.
HoleTree::Most HoleTree::most_of(std::int64_t start, std::int64_t end) {
    const bool endless = end == INT64_MAX || start < 0;
    return {endless ? INT64_MAX : end - start, end};
}

void HoleTree::Most::include(const Most& other) {
    length = std::max(length, other.length);
    end = std::max(end, other.end);
}

// A place in `all`, with nothing in it: one that was given back, or a new one.
template <class Part>
std::int32_t HoleTree::new_part(std::vector<Part>& all, std::vector<std::int32_t>& spare) {
    if (spare.empty()) {
        // By quarters, not doubling: trees are a sixth of the memory that a pending job takes.
        if (all.size() == all.capacity()) all.reserve(all.size() + all.size() / 4 + 1);
        all.emplace_back();
        return static_cast<std::int32_t>(all.size()) - 1;
    }
    const std::int32_t part = spare.back();
    spare.pop_back();
    all[static_cast<std::size_t>(part)].size = 0;
    return part;
}

std::int32_t HoleTree::new_leaf() { return new_part(leaves_, spare_leaves_); }
std::int32_t HoleTree::new_inner() { return new_part(inners_, spare_inners_); }

void HoleTree::clear() {
    leaves_.clear();
    inners_.clear();
    spare_leaves_.clear();
    spare_inners_.clear();
    root_ = -1;
    depth_ = 0;
    size_ = 0;
}

// ---- Ways down.

std::int32_t HoleTree::leaf_for(const Key& key, Path& path) const {
    std::int32_t at = root_;
    for (int level = 0; level < depth_; ++level) {
        const Inner& inner = inners_[static_cast<std::size_t>(at)];
        const auto end = inner.lowest.begin() + inner.size;
        const auto next = std::upper_bound(inner.lowest.begin(), end, key);
        const int slot = std::max(0, static_cast<int>(next - inner.lowest.begin()) - 1);
        path[static_cast<std::size_t>(level)] = {at, slot};
        at = inner.child[static_cast<std::size_t>(slot)];
    }
    return at;
}

// Of the first entry that is not lower.
int HoleTree::place_in(const Leaf& leaf, const Key& key) {
    int low = 0, high = leaf.size;
    while (low < high) {
        const int middle = (low + high) / 2;
        const auto m = static_cast<std::size_t>(middle);
        if (Key{leaf.start[m], leaf.node[m]} < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

HoleTree::Most HoleTree::most_of_leaf(std::int32_t id) const {
    const Leaf& leaf = leaves_[static_cast<std::size_t>(id)];
    Most most;
    for (std::size_t i = 0; i < static_cast<std::size_t>(leaf.size); ++i) {
        most.include(most_of(leaf.start[i], leaf.end[i]));
    }
    return most;
}

HoleTree::Most HoleTree::most_of_inner(std::int32_t id) const {
    const Inner& inner = inners_[static_cast<std::size_t>(id)];
    Most most;
    for (std::size_t i = 0; i < static_cast<std::size_t>(inner.size); ++i) {
        most.include(inner.most[i]);
    }
    return most;
}

// ---- Ways up.

void HoleTree::raise(const Path& path, const Most& most) {
    for (std::size_t level = 0; level < static_cast<std::size_t>(depth_); ++level) {
        Inner& inner = inners_[static_cast<std::size_t>(path[level].inner)];
        inner.most[static_cast<std::size_t>(path[level].slot)].include(most);
    }
}

void HoleTree::recount(const Path& path, std::int32_t leaf, const Most& gone) {
    for (int level = depth_ - 1; level >= 0; --level) {
        const Step& step = path[static_cast<std::size_t>(level)];
        Inner& inner = inners_[static_cast<std::size_t>(step.inner)];
        Most& known = inner.most[static_cast<std::size_t>(step.slot)];
        if (known.length > gone.length && known.end > gone.end) return;  // It was not the most.
        const std::int32_t child = inner.child[static_cast<std::size_t>(step.slot)];
        const Most now = level == depth_ - 1 ? most_of_leaf(leaf) : most_of_inner(child);
        if (now == known) return;
        known = now;
    }
}

// Halves the inner node at this level. Returns the level of the half that `lowest` belongs to, to
// which `path` then leads.
int HoleTree::split_inner(Path& path, int level, const Key& lowest) {
    const Step step = path[static_cast<std::size_t>(level)];
    const std::int32_t right_id = new_inner();
    Inner& left = inners_[static_cast<std::size_t>(step.inner)];
    Inner& right = inners_[static_cast<std::size_t>(right_id)];
    constexpr int kHalf = kFanout / 2;
    std::copy(left.lowest.begin() + kHalf, left.lowest.end(), right.lowest.begin());
    std::copy(left.most.begin() + kHalf, left.most.end(), right.most.begin());
    std::copy(left.child.begin() + kHalf, left.child.end(), right.child.begin());
    left.size = kHalf;
    right.size = kFanout - kHalf;
    const Key middle = right.lowest[0];
    const Most left_most = most_of_inner(step.inner), right_most = most_of_inner(right_id);
    if (level > 0) {
        const Step& up = path[static_cast<std::size_t>(level) - 1];
        inners_[static_cast<std::size_t>(up.inner)].most[static_cast<std::size_t>(up.slot)] =
            left_most;
    }
    add_child(path, level - 1, middle, right_id, right_most);
    // The way down has changed: take it again to where this child belongs.
    Path fresh{};
    std::int32_t at = root_;
    int depth = 0;
    while (at != step.inner && at != right_id) {
        const Inner& inner = inners_[static_cast<std::size_t>(at)];
        const auto end = inner.lowest.begin() + inner.size;
        const auto next = std::upper_bound(inner.lowest.begin(), end, lowest);
        const int slot = std::max(0, static_cast<int>(next - inner.lowest.begin()) - 1);
        fresh[static_cast<std::size_t>(depth++)] = {at, slot};
        at = inner.child[static_cast<std::size_t>(slot)];
    }
    fresh[static_cast<std::size_t>(depth)] = {at, 0};
    path = fresh;
    return depth;
}

void HoleTree::add_child(Path& path, int level, const Key& lowest, std::int32_t child,
                         const Most& most) {
    if (level < 0) {  // A new root, over the old one and this child.
        const std::int32_t old = root_;
        const Most old_most = depth_ == 0 ? most_of_leaf(old) : most_of_inner(old);
        root_ = new_inner();
        Inner& inner = inners_[static_cast<std::size_t>(root_)];
        inner.size = 2;
        inner.lowest[0] = {INT64_MIN, 0};
        inner.lowest[1] = lowest;
        inner.most[0] = old_most;
        inner.most[1] = most;
        inner.child[0] = old;
        inner.child[1] = child;
        ++depth_;
        BERTH_ASSERT(depth_ < kDepthMax);
        return;
    }
    if (inners_[static_cast<std::size_t>(path[static_cast<std::size_t>(level)].inner)].size ==
        kFanout) {
        level = split_inner(path, level, lowest);
    }
    const Step step = path[static_cast<std::size_t>(level)];
    Inner& inner = inners_[static_cast<std::size_t>(step.inner)];
    const auto end = inner.lowest.begin() + inner.size;
    const int slot = static_cast<int>(std::upper_bound(inner.lowest.begin(), end, lowest) -
                                      inner.lowest.begin());
    open_place(inner.lowest, slot, inner.size);
    open_place(inner.most, slot, inner.size);
    open_place(inner.child, slot, inner.size);
    inner.lowest[static_cast<std::size_t>(slot)] = lowest;
    inner.most[static_cast<std::size_t>(slot)] = most;
    inner.child[static_cast<std::size_t>(slot)] = child;
    ++inner.size;
    for (int above = 0; above < level; ++above) {
        const Step& up = path[static_cast<std::size_t>(above)];
        inners_[static_cast<std::size_t>(up.inner)].most[static_cast<std::size_t>(up.slot)].include(
            most);
    }
}

// The upper half goes to a leaf of its own. Afterwards `leaf` and `path` lead to where `key` goes.
void HoleTree::split_leaf(Path& path, std::int32_t& leaf, const Key& key) {
    const std::int32_t right_id = new_leaf();
    Leaf& left = leaves_[static_cast<std::size_t>(leaf)];
    Leaf& right = leaves_[static_cast<std::size_t>(right_id)];
    constexpr int kHalf = kFanout / 2;
    std::copy(left.start.begin() + kHalf, left.start.end(), right.start.begin());
    std::copy(left.end.begin() + kHalf, left.end.end(), right.end.begin());
    std::copy(left.node.begin() + kHalf, left.node.end(), right.node.begin());
    left.size = kHalf;
    right.size = kFanout - kHalf;
    const Key lowest{right.start[0], right.node[0]};
    if (depth_ > 0) {
        const Step& up = path[static_cast<std::size_t>(depth_) - 1];
        inners_[static_cast<std::size_t>(up.inner)].most[static_cast<std::size_t>(up.slot)] =
            most_of_leaf(leaf);
    }
    add_child(path, depth_ - 1, lowest, right_id, most_of_leaf(right_id));
    leaf = leaf_for(key, path);
}

void HoleTree::drop_child(const Path& path, std::int32_t leaf) {
    if (depth_ == 0) return;  // The root may be empty.
    spare_leaves_.push_back(leaf);
    for (int level = depth_ - 1; level >= 0; --level) {
        const Step& step = path[static_cast<std::size_t>(level)];
        Inner& inner = inners_[static_cast<std::size_t>(step.inner)];
        close_place(inner.lowest, step.slot, inner.size);
        close_place(inner.most, step.slot, inner.size);
        close_place(inner.child, step.slot, inner.size);
        if (--inner.size > 0) return;
        if (level > 0) spare_inners_.push_back(step.inner);
    }
    clear();  // Nothing is left at all.
}

// ---- Changes.

void HoleTree::insert(const Hole& hole) {
    if (root_ < 0) root_ = new_leaf();
    const Key key = key_of(hole);
    Path path;
    std::int32_t leaf_id = leaf_for(key, path);
    for (std::size_t level = 0; level < static_cast<std::size_t>(depth_); ++level) {
        // What was first here has gone, and this one goes in before the rest.
        Key& lowest = inners_[static_cast<std::size_t>(path[level].inner)].lowest[0];
        lowest = std::min(lowest, key);
    }
    if (leaves_[static_cast<std::size_t>(leaf_id)].size == kFanout) split_leaf(path, leaf_id, key);
    Leaf& leaf = leaves_[static_cast<std::size_t>(leaf_id)];
    const int place = place_in(leaf, key);
    open_place(leaf.start, place, leaf.size);
    open_place(leaf.end, place, leaf.size);
    open_place(leaf.node, place, leaf.size);
    const auto at = static_cast<std::size_t>(place);
    leaf.start[at] = key.start;
    leaf.end[at] = number(hole.end);
    leaf.node[at] = key.node;
    ++leaf.size;
    ++size_;
    raise(path, most_of(key.start, number(hole.end)));
}

void HoleTree::erase(const Hole& hole) {
    const Key key = key_of(hole);
    BERTH_ASSERT(size_ > 0);
    Path path;
    const std::int32_t leaf_id = leaf_for(key, path);
    Leaf& leaf = leaves_[static_cast<std::size_t>(leaf_id)];
    const int place = place_in(leaf, key);
    const auto at = static_cast<std::size_t>(place);
    BERTH_ASSERT(place < leaf.size && leaf.start[at] == key.start && leaf.node[at] == key.node);
    const Most gone = most_of(leaf.start[at], leaf.end[at]);
    close_place(leaf.start, place, leaf.size);
    close_place(leaf.end, place, leaf.size);
    close_place(leaf.node, place, leaf.size);
    --size_;
    const bool empty = --leaf.size == 0;
    recount(path, leaf_id, gone);
    if (empty) drop_child(path, leaf_id);
}

void HoleTree::set_end(const Hole& hole, Time end) {
    const Key key = key_of(hole);
    BERTH_ASSERT(size_ > 0);
    Path path;
    const std::int32_t leaf_id = leaf_for(key, path);
    Leaf& leaf = leaves_[static_cast<std::size_t>(leaf_id)];
    const int place = place_in(leaf, key);
    const auto at = static_cast<std::size_t>(place);
    BERTH_ASSERT(place < leaf.size && leaf.start[at] == key.start && leaf.node[at] == key.node);
    const Most before = most_of(leaf.start[at], leaf.end[at]);
    leaf.end[at] = number(end);
    if (number(end) >= before.end) {
        raise(path, most_of(key.start, number(end)));
    } else {
        recount(path, leaf_id, before);
    }
}

// ---- Looking.

HoleTree::Cursor::Cursor(const HoleTree& tree, Duration length, Time reach)
    : tree_(&tree), length_(length.count()), reach_(number(reach)) {
    if (tree.size_ == 0) return;
    if (tree.depth_ == 0) {
        leaf_ = tree.root_;
        valid_ = settle_in_leaf();
        return;
    }
    path_[0] = {tree.root_, 0};
    settle(0);
}

Hole HoleTree::Cursor::hole() const {
    const Leaf& leaf = tree_->leaves_[static_cast<std::size_t>(leaf_)];
    const auto at = static_cast<std::size_t>(slot_);
    return {Time(Duration(leaf.start[at])), Time(Duration(leaf.end[at])), NodeId(leaf.node[at])};
}

bool HoleTree::Cursor::settle_in_leaf() {
    const Leaf& leaf = tree_->leaves_[static_cast<std::size_t>(leaf_)];
    for (; slot_ < leaf.size; ++slot_) {
        const auto at = static_cast<std::size_t>(slot_);
        if (leaf.end[at] >= reach_ && most_of(leaf.start[at], leaf.end[at]).length >= length_) {
            return true;
        }
    }
    return false;
}

void HoleTree::Cursor::settle(int level) {
    while (level >= 0) {
        Step& step = path_[static_cast<std::size_t>(level)];
        const Inner& inner = tree_->inners_[static_cast<std::size_t>(step.inner)];
        while (step.slot < inner.size &&
               !inner.most[static_cast<std::size_t>(step.slot)].serves(length_, reach_)) {
            ++step.slot;
        }
        if (step.slot == inner.size) {
            if (--level >= 0) ++path_[static_cast<std::size_t>(level)].slot;
            continue;
        }
        const std::int32_t child = inner.child[static_cast<std::size_t>(step.slot)];
        if (level + 1 < tree_->depth_) {
            path_[static_cast<std::size_t>(++level)] = {child, 0};
            continue;
        }
        leaf_ = child;
        slot_ = 0;
        if (settle_in_leaf()) {
            valid_ = true;
            return;
        }
        ++step.slot;
    }
    valid_ = false;
}

void HoleTree::Cursor::next() {
    ++slot_;
    if (settle_in_leaf()) return;
    valid_ = false;
    if (tree_->depth_ == 0) return;
    ++path_[static_cast<std::size_t>(tree_->depth_) - 1].slot;
    settle(tree_->depth_ - 1);
}

}  // namespace berth
