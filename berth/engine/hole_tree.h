// HoleTree: spans of time in which a node has something to give ("holes"), ordered by start and
// node, so that the earliest one that is long enough is found in logarithmic time.
//
// A B+ tree whose inner nodes know the longest hole and the latest end below each child. It is
// split where it overflows, and a leaf goes when it is empty; nodes are numbers, not pointers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "berth/base/time.h"
#include "berth/model/ids.h"

namespace berth {

struct Hole {
    Time start{}, end{};
    NodeId node{0};
    friend bool operator==(const Hole&, const Hole&) = default;
};

class HoleTree {
public:
    // REQUIRES: a node's holes do not overlap; one that is erased or changed is there.
    void insert(const Hole& hole);
    void erase(const Hole& hole);
    void set_end(const Hole& hole, Time end);
    void clear();
    std::size_t size() const { return size_; }

private:
    static constexpr int kFanout = 32;
    static constexpr int kDepthMax = 12;
    struct Key {
        std::int64_t start = 0;
        std::uint32_t node = 0;
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    struct Most {
        std::int64_t length = -1, end = INT64_MIN;
        bool serves(std::int64_t wanted, std::int64_t reach) const {
            return length >= wanted && end >= reach;
        }
        void include(const Most& other);
        friend bool operator==(const Most&, const Most&) = default;
    };
    struct Leaf {
        int size = 0;
        std::array<std::int64_t, kFanout> start, end;
        std::array<std::uint32_t, kFanout> node;
    };
    struct Inner {
        int size = 0;
        std::array<Key, kFanout> lowest;  // No key below that child is lower.
        std::array<Most, kFanout> most;
        std::array<std::int32_t, kFanout> child;
    };
    struct Step {
        std::int32_t inner = 0;
        int slot = 0;
    };
    using Path = std::array<Step, kDepthMax>;

public:
    // The holes that last for `length`, and until `reach` at least, in order. Not valid after a
    // change.
    class Cursor {
    public:
        Cursor(const HoleTree& tree, Duration length, Time reach);
        bool valid() const { return valid_; }
        Hole hole() const;
        void next();

    private:
        void settle(int level);  // Goes on from path_[level], upwards or down.
        bool settle_in_leaf();

        const HoleTree* tree_;
        std::int64_t length_, reach_;
        Path path_;
        std::int32_t leaf_ = 0;
        int slot_ = 0;
        bool valid_ = false;
    };

private:
    static Key key_of(const Hole& hole);
    static Most most_of(std::int64_t start, std::int64_t end);
    std::int32_t leaf_for(const Key& key, Path& path) const;
    static int place_in(const Leaf& leaf, const Key& key);
    Most most_of_leaf(std::int32_t leaf) const;
    Most most_of_inner(std::int32_t inner) const;
    void raise(const Path& path, const Most& most);                       // Something was added.
    void recount(const Path& path, std::int32_t leaf, const Most& gone);  // Something was taken.
    void split_leaf(Path& path, std::int32_t& leaf, const Key& key);
    void add_child(Path& path, int level, const Key& lowest, std::int32_t child, const Most& most);
    int split_inner(Path& path, int level, const Key& lowest);
    void drop_child(const Path& path, std::int32_t leaf);
    template <class Part>
    static std::int32_t new_part(std::vector<Part>& all, std::vector<std::int32_t>& spare);
    std::int32_t new_leaf();
    std::int32_t new_inner();

    std::vector<Leaf> leaves_;
    std::vector<Inner> inners_;
    std::vector<std::int32_t> spare_leaves_, spare_inners_;
    std::int32_t root_ = -1;  // A leaf where depth_ is 0.
    int depth_ = 0;
    std::size_t size_ = 0;
};

}  // namespace berth
