// FreeSlotTree: free slots, that is spans of time in which a node has something to give, ordered by
// start and node. Finds the earliest one that is long enough in logarithmic time.
//
// A B+ tree whose inner nodes hold the longest slot and the latest end below each child. A part is
// split when it overflows. A leaf from which slots were erased is merged with its neighbour where
// both leave room for more, and freed when it is empty.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "berth/base/time.h"
#include "berth/engine/plan/free_slot_parts.h"
#include "berth/model/ids.h"

namespace berth {

struct FreeSlot {
    Time start{}, end{};
    NodeId node{0};
    friend bool operator==(const FreeSlot&, const FreeSlot&) = default;
};

class FreeSlotTree {
public:
    // The trees of one index share `parts`.
    explicit FreeSlotTree(std::shared_ptr<FreeSlotParts> parts = std::make_shared<FreeSlotParts>())
        : parts_(std::move(parts)) {}
    FreeSlotTree(FreeSlotTree&& other) noexcept { swap(other); }
    FreeSlotTree& operator=(FreeSlotTree&& other) noexcept {
        swap(other);
        return *this;
    }
    FreeSlotTree(const FreeSlotTree&) = delete;
    FreeSlotTree& operator=(const FreeSlotTree&) = delete;
    ~FreeSlotTree() { clear(); }

    // REQUIRES: the slots of a node do not overlap; a slot to erase or change exists.
    void insert(const FreeSlot& free_slot);
    void erase(const FreeSlot& free_slot);
    void set_end(const FreeSlot& free_slot, Time end);
    void clear();
    std::size_t size() const { return size_; }

private:
    using Part = FreeSlotParts::Part;
    using Leaf = FreeSlotParts::Leaf;
    using Inner = FreeSlotParts::Inner;
    static constexpr int kFanout = FreeSlotParts::kFanout;
    static constexpr int kDepthMax = 12;
    struct Key {
        std::int64_t start = 0;
        std::int32_t node = 0;
    };
    struct Most {
        std::int64_t length = FreeSlotParts::kNoLength, end = FreeSlotParts::kNoEnd;
        void include(const Most& other);
        friend bool operator==(const Most&, const Most&) = default;
    };
    struct Step {
        Inner* inner;
        std::size_t slot;
    };
    using Path = std::array<Step, kDepthMax>;

public:
    // Iterates in order over the slots that last at least `length` and until at least `reach`, and
    // start by `latest`. Any change of the tree invalidates it.
    class Cursor {
    public:
        Cursor(const FreeSlotTree& tree, Duration length, Time reach, Time latest = Time::max());
        bool valid() const { return left_ != 0; }
        FreeSlot free_slot() const;
        void next();
        void limit(Time latest);  // Skips slots that start later.

    private:
        struct Level {
            const Inner* inner;
            std::uint32_t left;  // Children with matching slots that were not visited yet.
        };
        void settle(int level);  // Continues from path_[level], up or down.
        void enter(const Leaf& leaf);
        std::size_t slot() const { return static_cast<std::size_t>(std::countr_zero(left_)); }

        int depth_;
        // Matching slots of the leaf that were not visited yet, one bit each.
        std::uint32_t left_ = 0;
        const Leaf* leaf_ = nullptr;
        std::int64_t length_, reach_, latest_;
        std::array<Level, kDepthMax> path_;
    };

private:
    static Key key_of(const FreeSlot& free_slot);
    static Most most_of(std::int64_t start, std::int64_t end);
    static std::uint32_t served(const Leaf& leaf, std::int64_t length, std::int64_t reach);
    static std::size_t child_for(const Inner& inner, const Key& key);
    Leaf* leaf_for(const Key& key, Path& path) const;
    static int place_in(const Leaf& leaf, const Key& key);
    static Most most_of(const Leaf& leaf);
    static Most most_of(const Inner& inner);
    static void set_most(const Step& step, const Most& most);
    void raise(const Path& path, const Most& most);                      // After an insertion.
    void recount(const Path& path, const Leaf& leaf, const Most& gone);  // After a removal.
    void split_leaf(Path& path, Leaf*& leaf, const Key& key);
    void add_child(Path& path, int level, const Key& lowest, Part* child, const Most& most);
    int split_inner(Path& path, int level, const Key& lowest);
    void drop_child(const Path& path, Leaf* leaf);
    void merge_leaf(Path& path);
    void lower_root();
    std::int64_t first_start() const;  // REQUIRES: the tree is not empty.
    void give_back(Part* part, int level);
    void swap(FreeSlotTree& other) noexcept;

    std::shared_ptr<FreeSlotParts> parts_;
    Part* root_ = nullptr;  // A leaf if depth_ is 0.
    int depth_ = 0;
    std::uint32_t size_ = 0;
};

}  // namespace berth
