// FreeSlotParts: the nodes of FreeSlotTrees and their allocator. Memory is allocated in pieces of
// many parts, so parts never move, and trees that share an allocator reuse each other's parts.
//
// A part stores one column per attribute. Searches scan whole columns, unused places included, so
// the loops have no data-dependent branch and compile to a few vector instructions. Unused places
// hold values that match no search.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace berth {

class FreeSlotParts {
public:
    static constexpr int kFanout = 16;
    template <class T>
    using Column = std::array<T, kFanout>;
    static constexpr std::int64_t kNoStart = INT64_MAX, kNoEnd = INT64_MIN, kNoLength = -1;

    struct Part {
        std::int32_t size = 0;
    };
    struct Leaf : Part {
        Column<std::int32_t> node;
        Column<std::int64_t> start, end;
        void clear() {
            size = 0;
            start.fill(kNoStart);
            end.fill(kNoEnd);
            node.fill(0);
        }
    };
    struct Inner : Part {
        Column<std::int32_t> lowest_node;
        // A lower bound of the start and node of every key below the child.
        Column<std::int64_t> lowest;
        Column<std::int64_t> length, end;  // The largest of any free slot below the child.
        Column<Part*> child;
        void clear() {
            size = 0;
            lowest.fill(kNoStart);
            lowest_node.fill(0);
            length.fill(kNoLength);
            end.fill(kNoEnd);
            child.fill(nullptr);
        }
    };

    Leaf* new_leaf() { return leaves_.get(); }
    Inner* new_inner() { return inners_.get(); }
    void give_back(Leaf* leaf) { leaves_.spare.push_back(leaf); }
    void give_back(Inner* inner) { inners_.spare.push_back(inner); }

private:
    template <class Of>
    struct Store {
        static constexpr std::size_t kPiece = 32;
        std::vector<std::unique_ptr<Of[]>> pieces;
        std::size_t used = kPiece;  // Of the last piece.
        std::vector<Of*> spare;

        Of* get() {
            Of* part = nullptr;
            if (!spare.empty()) {
                part = spare.back();
                spare.pop_back();
            } else {
                if (used == kPiece) {
                    pieces.push_back(std::make_unique_for_overwrite<Of[]>(kPiece));
                    used = 0;
                }
                part = &pieces.back()[used++];
            }
            part->clear();
            return part;
        }
    };
    Store<Leaf> leaves_;
    Store<Inner> inners_;
};

// Operations on whole columns.
namespace columns {

template <class T>
using Column = FreeSlotParts::Column<T>;

inline constexpr auto kPlaces = [] {
    Column<std::int64_t> bits{};
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = std::int64_t{1} << i;
    return bits;
}();

// Number of entries below `value`. The column is sorted, and its unused places sort last.
inline int count_below(const Column<std::int64_t>& column, std::int64_t value) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < column.size(); ++i) count += std::int64_t{column[i] < value};
    return static_cast<int>(count);
}

// The places at which both columns reach their minimum, one bit each.
inline std::uint32_t places_of(const Column<std::int64_t>& a, std::int64_t least_a,
                               const Column<std::int64_t>& b, std::int64_t least_b) {
    std::int64_t found = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::int64_t both = std::int64_t{a[i] >= least_a} & std::int64_t{b[i] >= least_b};
        found |= -both & kPlaces[i];
    }
    return static_cast<std::uint32_t>(found);
}

// Inserts a value at this place and shifts the rest one place to the right.
template <class T>
void open_place(Column<T>& column, int at, T value) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): of the pointer, where T is one.
    using Place = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    const Column<T> old = column;
    const auto place = static_cast<Place>(at);
    for (std::size_t i = 1; i < old.size(); ++i) {
        const T left = old[i - 1], here = old[i];
        column[i] = static_cast<Place>(i) > place ? left : here;
    }
    column[static_cast<std::size_t>(at)] = value;
}

template <class T>
void close_place(Column<T>& column, int at, T nothing) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): of the pointer, where T is one.
    using Place = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    const Column<T> old = column;
    const auto place = static_cast<Place>(at);
    for (std::size_t i = 0; i + 1 < old.size(); ++i) {
        const T here = old[i], right = old[i + 1];
        column[i] = static_cast<Place>(i) >= place ? right : here;
    }
    column.back() = nothing;
}

// Moves the upper half to the other column.
template <class T>
void halve(Column<T>& left, Column<T>& right, T nothing) {
    const auto middle = left.begin() + FreeSlotParts::kFanout / 2;
    std::copy(middle, left.end(), right.begin());
    std::fill(middle, left.end(), nothing);
}

}  // namespace columns
}  // namespace berth
