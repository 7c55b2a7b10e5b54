#include "berth/engine/plan/free_slot_tree.h"

#include <algorithm>

#include "berth/base/assert.h"

namespace berth {
namespace {

constexpr std::size_t kHalf = FreeSlotParts::kFanout / 2;
constexpr int kMergedMost = FreeSlotParts::kFanout * 3 / 4;  // Room for some more before a split.

// A neighbour is in other memory, so not every erased slot is a reason to look at it.
bool is_worth_merging(int size) { return size == 8 || size == 4 || size == 2; }

std::int64_t number(Time at) { return at.time_since_epoch().count(); }

}  // namespace

FreeSlotTree::Key FreeSlotTree::key_of(const FreeSlot& free_slot) {
    return {number(free_slot.start), static_cast<std::int32_t>(free_slot.node.value())};
}

// A slot that has no end, or no beginning, has the greatest length.
FreeSlotTree::Most FreeSlotTree::most_of(std::int64_t start, std::int64_t end) {
    const bool endless = end == INT64_MAX || start < 0;
    return {endless ? INT64_MAX : end - start, end};
}

void FreeSlotTree::Most::include(const Most& other) {
    length = std::max(length, other.length);
    end = std::max(end, other.end);
}

void FreeSlotTree::swap(FreeSlotTree& other) noexcept {
    std::swap(parts_, other.parts_);
    std::swap(root_, other.root_);
    std::swap(depth_, other.depth_);
    std::swap(size_, other.size_);
}

void FreeSlotTree::give_back(Part* part, int level) {
    if (level == depth_) return parts_->give_back(static_cast<Leaf*>(part));
    auto* const inner = static_cast<Inner*>(part);
    for (std::size_t i = 0; i < static_cast<std::size_t>(inner->size); ++i) {
        give_back(inner->child[i], level + 1);
    }
    parts_->give_back(inner);
}

void FreeSlotTree::clear() {
    if (root_ != nullptr) give_back(root_, 0);
    root_ = nullptr;
    depth_ = 0;
    size_ = 0;
}

// ---- Descent.

// The last child that may contain the key.
std::size_t FreeSlotTree::child_for(const Inner& inner, const Key& key) {
    int next = columns::count_below(inner.lowest, key.start);
    for (; next < inner.size; ++next) {  // Few slots start at the same time.
        const auto at = static_cast<std::size_t>(next);
        if (inner.lowest[at] != key.start || inner.lowest_node[at] > key.node) break;
    }
    return static_cast<std::size_t>(std::max(0, next - 1));
}

FreeSlotTree::Leaf* FreeSlotTree::leaf_for(const Key& key, Path& path) const {
    Part* at = root_;
    for (int level = 0; level < depth_; ++level) {
        auto* const inner = static_cast<Inner*>(at);
        const std::size_t slot = child_for(*inner, key);
        path[static_cast<std::size_t>(level)] = {inner, slot};
        at = inner->child[slot];
    }
    return static_cast<Leaf*>(at);
}

// Place of the first entry that is not lower than the key.
int FreeSlotTree::place_in(const Leaf& leaf, const Key& key) {
    int at = columns::count_below(leaf.start, key.start);
    while (at < leaf.size && leaf.start[static_cast<std::size_t>(at)] == key.start &&
           leaf.node[static_cast<std::size_t>(at)] < key.node) {
        ++at;
    }
    return at;
}

FreeSlotTree::Most FreeSlotTree::most_of(const Leaf& leaf) {
    Most most;
    for (std::size_t i = 0; i < static_cast<std::size_t>(leaf.size); ++i) {
        most.include(most_of(leaf.start[i], leaf.end[i]));
    }
    return most;
}

FreeSlotTree::Most FreeSlotTree::most_of(const Inner& inner) {
    Most most;
    for (std::size_t i = 0; i < kFanout; ++i) most.include({inner.length[i], inner.end[i]});
    return most;
}

// ---- Summaries and structure, from a leaf up.

void FreeSlotTree::set_most(const Step& step, const Most& most) {
    step.inner->length[step.slot] = most.length;
    step.inner->end[step.slot] = most.end;
}

void FreeSlotTree::raise(const Path& path, const Most& most) {
    for (std::size_t level = 0; level < static_cast<std::size_t>(depth_); ++level) {
        const Step& step = path[level];
        Most now{step.inner->length[step.slot], step.inner->end[step.slot]};
        now.include(most);
        set_most(step, now);
    }
}

void FreeSlotTree::recount(const Path& path, const Leaf& leaf, const Most& gone) {
    for (int level = depth_ - 1; level >= 0; --level) {
        const Step& step = path[static_cast<std::size_t>(level)];
        const Most known{step.inner->length[step.slot], step.inner->end[step.slot]};
        if (known.length > gone.length && known.end > gone.end) return;  // It was not the maximum.
        const Part* child = step.inner->child[step.slot];
        const Most now =
            level == depth_ - 1 ? most_of(leaf) : most_of(*static_cast<const Inner*>(child));
        if (now == known) return;
        set_most(step, now);
    }
}

// Halves the inner node at this level. Returns the level of the half that `lowest` belongs to, and
// makes `path` lead there.
int FreeSlotTree::split_inner(Path& path, int level, const Key& lowest) {
    Inner* const left = path[static_cast<std::size_t>(level)].inner;
    Inner* const right = parts_->new_inner();
    columns::halve(left->lowest, right->lowest, FreeSlotParts::kNoStart);
    columns::halve(left->lowest_node, right->lowest_node, std::int32_t{0});
    columns::halve(left->length, right->length, FreeSlotParts::kNoLength);
    columns::halve(left->end, right->end, FreeSlotParts::kNoEnd);
    columns::halve(left->child, right->child, static_cast<Part*>(nullptr));
    left->size = kHalf;
    right->size = kFanout - kHalf;
    const Key middle{right->lowest[0], right->lowest_node[0]};
    if (level > 0) set_most(path[static_cast<std::size_t>(level) - 1], most_of(*left));
    add_child(path, level - 1, middle, right, most_of(*right));
    // The path has changed: descend again to where this child belongs.
    Part* at = root_;
    int depth = 0;
    while (at != left && at != right) {
        auto* const inner = static_cast<Inner*>(at);
        const std::size_t slot = child_for(*inner, lowest);
        path[static_cast<std::size_t>(depth++)] = {inner, slot};
        at = inner->child[slot];
    }
    path[static_cast<std::size_t>(depth)] = {static_cast<Inner*>(at), 0};
    return depth;
}

void FreeSlotTree::add_child(Path& path, int level, const Key& lowest, Part* child,
                             const Most& most) {
    if (level < 0) {  // A new root over the old one and this child.
        Inner* const root = parts_->new_inner();
        const Most old_most = depth_ == 0 ? most_of(*static_cast<const Leaf*>(root_))
                                          : most_of(*static_cast<const Inner*>(root_));
        root->size = 2;
        root->lowest[0] = INT64_MIN;
        root->lowest[1] = lowest.start;
        root->lowest_node[1] = lowest.node;
        set_most({root, 0}, old_most);
        set_most({root, 1}, most);
        root->child[0] = root_;
        root->child[1] = child;
        root_ = root;
        ++depth_;
        BERTH_ASSERT(depth_ < kDepthMax);
        return;
    }
    if (path[static_cast<std::size_t>(level)].inner->size == kFanout) {
        level = split_inner(path, level, lowest);
    }
    Inner& inner = *path[static_cast<std::size_t>(level)].inner;
    const int slot = inner.size == 0 ? 0 : static_cast<int>(child_for(inner, lowest)) + 1;
    columns::open_place(inner.lowest, slot, lowest.start);
    columns::open_place(inner.lowest_node, slot, lowest.node);
    columns::open_place(inner.length, slot, most.length);
    columns::open_place(inner.end, slot, most.end);
    columns::open_place(inner.child, slot, child);
    ++inner.size;
    for (int above = 0; above < level; ++above) {
        const Step& up = path[static_cast<std::size_t>(above)];
        Most now{up.inner->length[up.slot], up.inner->end[up.slot]};
        now.include(most);
        set_most(up, now);
    }
}

// Moves the upper half to a new leaf. Afterwards `leaf` and `path` lead to where `key` belongs.
void FreeSlotTree::split_leaf(Path& path, Leaf*& leaf, const Key& key) {
    Leaf* const right = parts_->new_leaf();
    columns::halve(leaf->start, right->start, FreeSlotParts::kNoStart);
    columns::halve(leaf->end, right->end, FreeSlotParts::kNoEnd);
    columns::halve(leaf->node, right->node, std::int32_t{0});
    leaf->size = kHalf;
    right->size = kFanout - kHalf;
    const Key lowest{right->start[0], right->node[0]};
    if (depth_ > 0) set_most(path[static_cast<std::size_t>(depth_) - 1], most_of(*leaf));
    add_child(path, depth_ - 1, lowest, right, most_of(*right));
    leaf = leaf_for(key, path);
}

void FreeSlotTree::drop_child(const Path& path, Leaf* leaf) {
    if (depth_ == 0) return;  // The root may be empty.
    parts_->give_back(leaf);
    for (int level = depth_ - 1; level >= 0; --level) {
        const Step& step = path[static_cast<std::size_t>(level)];
        Inner& inner = *step.inner;
        const int slot = static_cast<int>(step.slot);
        columns::close_place(inner.lowest, slot, FreeSlotParts::kNoStart);
        columns::close_place(inner.lowest_node, slot, std::int32_t{0});
        columns::close_place(inner.length, slot, FreeSlotParts::kNoLength);
        columns::close_place(inner.end, slot, FreeSlotParts::kNoEnd);
        columns::close_place(inner.child, slot, static_cast<Part*>(nullptr));
        if (--inner.size > 0) return lower_root();
        parts_->give_back(&inner);
    }
    root_ = nullptr;  // The tree is empty.
    depth_ = 0;
}

// Moves the leaf at the end of the path and its neighbour below the same inner node into one, if
// that leaves room.
void FreeSlotTree::merge_leaf(Path& path) {
    Step& step = path[static_cast<std::size_t>(depth_) - 1];
    Inner& inner = *step.inner;
    if (inner.size < 2) return;
    const std::size_t at = step.slot == 0 ? 0 : step.slot - 1;
    auto* const left = static_cast<Leaf*>(inner.child[at]);
    auto* const right = static_cast<Leaf*>(inner.child[at + 1]);
    if (left->size + right->size > kMergedMost) return;
    const auto append = [&](auto& to, const auto& from) {
        std::copy_n(from.begin(), right->size, to.begin() + left->size);
    };
    append(left->start, right->start);
    append(left->end, right->end);
    append(left->node, right->node);
    left->size += right->size;
    Most most{inner.length[at], inner.end[at]};
    most.include({inner.length[at + 1], inner.end[at + 1]});
    set_most({&inner, at}, most);
    step.slot = at + 1;
    drop_child(path, right);
}

// As time passes, slots go at the left and come at the right. Without this, the tree would keep
// growing in depth.
void FreeSlotTree::lower_root() {
    while (depth_ > 0 && root_->size == 1) {
        auto* const inner = static_cast<Inner*>(root_);
        root_ = inner->child[0];
        --depth_;
        parts_->give_back(inner);
    }
}

// ---- Changes.

void FreeSlotTree::insert(const FreeSlot& free_slot) {
    if (root_ == nullptr) root_ = parts_->new_leaf();
    const Key key = key_of(free_slot);
    Path path;
    Leaf* leaf = leaf_for(key, path);
    for (std::size_t level = 0; level < static_cast<std::size_t>(depth_); ++level) {
        // The new key is lower than the bound of the first child.
        Inner& inner = *path[level].inner;
        if (std::pair(key.start, key.node) < std::pair(inner.lowest[0], inner.lowest_node[0])) {
            inner.lowest[0] = key.start;
            inner.lowest_node[0] = key.node;
        }
    }
    if (leaf->size == kFanout) split_leaf(path, leaf, key);
    const int place = place_in(*leaf, key);
    columns::open_place(leaf->start, place, key.start);
    columns::open_place(leaf->end, place, number(free_slot.end));
    columns::open_place(leaf->node, place, key.node);
    ++leaf->size;
    ++size_;
    raise(path, most_of(key.start, number(free_slot.end)));
}

void FreeSlotTree::erase(const FreeSlot& free_slot) {
    const Key key = key_of(free_slot);
    BERTH_ASSERT(size_ > 0);
    Path path;
    Leaf* const leaf = leaf_for(key, path);
    const int place = place_in(*leaf, key);
    const auto at = static_cast<std::size_t>(place);
    BERTH_ASSERT(place < leaf->size && leaf->start[at] == key.start && leaf->node[at] == key.node);
    const Most gone = most_of(leaf->start[at], leaf->end[at]);
    columns::close_place(leaf->start, place, FreeSlotParts::kNoStart);
    columns::close_place(leaf->end, place, FreeSlotParts::kNoEnd);
    columns::close_place(leaf->node, place, std::int32_t{0});
    --size_;
    const bool empty = --leaf->size == 0;
    recount(path, *leaf, gone);
    if (empty) {
        drop_child(path, leaf);
    } else if (depth_ > 0 && is_worth_merging(leaf->size)) {
        merge_leaf(path);
    }
}

void FreeSlotTree::set_end(const FreeSlot& free_slot, Time end) {
    const Key key = key_of(free_slot);
    BERTH_ASSERT(size_ > 0);
    Path path;
    Leaf* const leaf = leaf_for(key, path);
    const int place = place_in(*leaf, key);
    const auto at = static_cast<std::size_t>(place);
    BERTH_ASSERT(place < leaf->size && leaf->start[at] == key.start && leaf->node[at] == key.node);
    const Most before = most_of(leaf->start[at], leaf->end[at]);
    leaf->end[at] = number(end);
    if (number(end) >= before.end) {
        raise(path, most_of(key.start, number(end)));
    } else {
        recount(path, *leaf, before);
    }
}

// ---- Search.

// The slots of the leaf that are long enough and reach far enough, one bit each.
std::uint32_t FreeSlotTree::served(const Leaf& leaf, std::int64_t length, std::int64_t reach) {
    // What has no end, or no beginning, lasts at least this long.
    constexpr std::int64_t kLongest = INT64_MAX / 4;
    const auto asked = static_cast<std::uint64_t>(std::min(length, kLongest));
    std::int64_t found = 0;
    for (std::size_t i = 0; i < kFanout; ++i) {
        const std::int64_t start = leaf.start[i], end = leaf.end[i];
        const auto latest = static_cast<std::int64_t>(static_cast<std::uint64_t>(end) - asked);
        const std::int64_t both = std::int64_t{start <= latest} & std::int64_t{end >= reach};
        found |= -both & columns::kPlaces[i];
    }
    const std::uint32_t known = (std::uint32_t{1} << leaf.size) - 1;
    return static_cast<std::uint32_t>(found) & known;
}

std::int64_t FreeSlotTree::first_start() const {
    const Part* at = root_;
    for (int level = 0; level < depth_; ++level) at = static_cast<const Inner*>(at)->child[0];
    return static_cast<const Leaf*>(at)->start[0];
}

FreeSlotTree::Cursor::Cursor(const FreeSlotTree& tree, Duration length, Time reach, Time latest)
    : depth_(tree.depth_), length_(length.count()), reach_(number(reach)), latest_(number(latest)) {
    if (tree.size_ == 0 || tree.first_start() > latest_) return;
    if (depth_ == 0) {
        enter(*static_cast<const Leaf*>(tree.root_));
        return;
    }
    const auto& root = *static_cast<const Inner*>(tree.root_);
    path_[0] = {&root, columns::places_of(root.length, length_, root.end, reach_)};
    settle(0);
}

FreeSlot FreeSlotTree::Cursor::free_slot() const {
    const std::size_t at = slot();
    return {Time(Duration(leaf_->start[at])), Time(Duration(leaf_->end[at])),
            NodeId(static_cast<std::uint32_t>(leaf_->node[at]))};
}

void FreeSlotTree::Cursor::enter(const Leaf& leaf) {
    leaf_ = &leaf;
    left_ = served(leaf, length_, reach_);
    if (left_ != 0 && leaf.start[slot()] > latest_) left_ = 0;
}

void FreeSlotTree::Cursor::limit(Time latest) {
    latest_ = std::min(latest_, number(latest));
    if (left_ != 0 && leaf_->start[slot()] > latest_) left_ = 0;
}

void FreeSlotTree::Cursor::settle(int level) {
    while (level >= 0) {
        Level& here = path_[static_cast<std::size_t>(level)];
        if (here.left == 0) {
            --level;
            continue;
        }
        const auto at = static_cast<std::size_t>(std::countr_zero(here.left));
        here.left &= here.left - 1;
        if (here.inner->lowest[at] > latest_) return;
        const Part* child = here.inner->child[at];
        if (++level < depth_) {
            const auto& inner = *static_cast<const Inner*>(child);
            path_[static_cast<std::size_t>(level)] = {
                &inner, columns::places_of(inner.length, length_, inner.end, reach_)};
            continue;
        }
        enter(*static_cast<const Leaf*>(child));
        if (left_ != 0) return;
        --level;
    }
}

void FreeSlotTree::Cursor::next() {
    left_ &= left_ - 1;
    if (left_ == 0) {
        if (depth_ > 0) settle(depth_ - 1);
    } else if (leaf_->start[slot()] > latest_) {
        left_ = 0;
    }
}

}  // namespace berth
