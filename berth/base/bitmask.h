// Sets of small whole numbers: BitSet for the cores of a node, a plain uint64_t for its GPUs.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth {

// A set over 0 … size() - 1. Operations on two sets want both of the same size.
class BitSet {
public:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    BitSet() = default;
    explicit BitSet(std::size_t size) : size_(size), words_((size + 63) / 64) {}
    static BitSet all(std::size_t size);

    // The members as 64-bit words, the lowest first; and back. nullopt where the words are not
    // those of a set of this size: too few, too many, or a member that is not below `size`.
    const std::vector<std::uint64_t>& words() const { return words_; }
    static std::optional<BitSet> from_words(std::size_t size, std::vector<std::uint64_t> words);

    // "0-3,8" -> a set of that size; refuses a number that does not fit in.
    static Result<BitSet> parse(std::string_view list, std::size_t size);
    // "0-3,8"; "" for the empty set.
    std::string to_list() const;

    std::size_t size() const { return size_; }
    std::size_t count() const;
    bool empty() const { return find_first() == kNone; }

    void set(std::size_t bit) { word_of(bit) |= mask_of(bit); }
    void reset(std::size_t bit) { word_of(bit) &= ~mask_of(bit); }
    bool test(std::size_t bit) const {
        BERTH_ASSERT(bit < size_);
        return (words_[bit / 64] & mask_of(bit)) != 0;
    }

    // The lowest member, and the lowest above `bit`; kNone where there is none.
    std::size_t find_first() const { return find_from(0); }
    std::size_t find_next(std::size_t bit) const { return find_from(bit + 1); }

    BitSet& operator|=(const BitSet& other);
    BitSet& operator&=(const BitSet& other);
    BitSet& operator-=(const BitSet& other);  // And not.
    friend BitSet operator|(BitSet a, const BitSet& b) { return a |= b; }
    friend BitSet operator&(BitSet a, const BitSet& b) { return a &= b; }
    friend BitSet operator-(BitSet a, const BitSet& b) { return a -= b; }

    bool is_subset_of(const BitSet& other) const;
    bool intersects(const BitSet& other) const;

    // Any total order will do; it is by size, then by members.
    friend std::strong_ordering operator<=>(const BitSet&, const BitSet&) = default;
    friend bool operator==(const BitSet&, const BitSet&) = default;

private:
    static std::uint64_t mask_of(std::size_t bit) { return std::uint64_t{1} << (bit % 64); }
    std::uint64_t& word_of(std::size_t bit) {
        BERTH_ASSERT(bit < size_);
        return words_[bit / 64];
    }
    std::size_t find_from(std::size_t bit) const;

    std::size_t size_ = 0;
    std::vector<std::uint64_t> words_;  // Bits past size_ are zero.
};

// The same for at most 64 members, with nothing to allocate.
constexpr int popcount(std::uint64_t mask) { return std::popcount(mask); }

// The lowest member. REQUIRES: mask != 0.
constexpr int lowest(std::uint64_t mask) { return std::countr_zero(mask); }

constexpr std::uint64_t bit(int n) { return std::uint64_t{1} << n; }

// The n lowest: 0 … n - 1. REQUIRES: 0 <= n <= 64.
constexpr std::uint64_t low_bits(int n) { return n == 64 ? ~std::uint64_t{0} : bit(n) - 1; }

template <class Visit>
constexpr void for_each_bit(std::uint64_t mask, Visit visit) {
    for (; mask != 0; mask &= mask - 1) visit(lowest(mask));
}

// {0, 1, 5} <-> "0-1,5"
std::string mask_to_list(std::uint64_t mask);
Result<std::uint64_t> list_to_mask(std::string_view list);

}  // namespace berth
