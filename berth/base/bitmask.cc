// Lists such as "0-3,8", and the set operations word by word.
#include "berth/base/bitmask.h"

#include <algorithm>

#include "berth/base/text.h"

namespace berth {
namespace {

Error bad_list(std::string_view list, std::string_view part, std::size_t size) {
    return {ErrorCode::invalid_argument, "\"" + std::string(part) + "\" in \"" + std::string(list) +
                                             "\" is not a number, or a range such as 0-3, below " +
                                             std::to_string(size)};
}

// Calls visit(number) for each number of the list.
template <class Visit>
Status for_each_in_list(std::string_view list, std::size_t size, Visit visit) {
    if (trim(list).empty()) return Done{};
    for (const std::string_view part : split(list, ',')) {
        const std::string_view range = trim(part);
        const std::size_t dash = range.find('-');
        const auto low = parse_int64(range.substr(0, dash));
        const auto high =
            dash == std::string_view::npos ? low : parse_int64(range.substr(dash + 1));
        if (!low.ok() || !high.ok() || *low < 0 || *low > *high ||
            static_cast<std::size_t>(*high) >= size) {
            return bad_list(list, part, size);
        }
        for (std::int64_t n = *low; n <= *high; ++n) visit(static_cast<std::size_t>(n));
    }
    return Done{};
}

void append_range(std::string& list, std::size_t low, std::size_t high) {
    if (!list.empty()) list += ',';
    list += std::to_string(low);
    if (high > low) list += '-' + std::to_string(high);
}

}  // namespace

BitSet BitSet::all(std::size_t size) {
    BitSet set(size);
    std::fill(set.words_.begin(), set.words_.end(), ~std::uint64_t{0});
    if (size % 64 != 0) set.words_.back() = low_bits(static_cast<int>(size % 64));
    return set;
}

std::optional<BitSet> BitSet::from_words(std::size_t size, std::vector<std::uint64_t> words) {
    if (words.size() != size / 64 + (size % 64 != 0)) return std::nullopt;
    if (size % 64 != 0 && (words.back() >> (size % 64)) != 0) return std::nullopt;
    BitSet set;
    set.size_ = size;
    set.words_ = std::move(words);
    return set;
}

Result<BitSet> BitSet::parse(std::string_view list, std::size_t size) {
    BitSet set(size);
    BERTH_CHECK(for_each_in_list(list, size, [&](std::size_t n) { set.set(n); }));
    return set;
}

std::string BitSet::to_list() const {
    std::string list;
    for (std::size_t low = find_first(); low != kNone;) {
        std::size_t high = low;
        while (high + 1 < size_ && test(high + 1)) ++high;
        append_range(list, low, high);
        low = find_next(high);
    }
    return list;
}

std::size_t BitSet::count() const {
    std::size_t members = 0;
    for (const std::uint64_t word : words_) members += static_cast<std::size_t>(popcount(word));
    return members;
}

std::size_t BitSet::find_from(std::size_t bit) const {
    if (bit >= size_) return kNone;
    std::uint64_t word = words_[bit / 64] & ~low_bits(static_cast<int>(bit % 64));
    for (std::size_t i = bit / 64;;) {
        if (word != 0) return i * 64 + static_cast<std::size_t>(lowest(word));
        if (++i == words_.size()) return kNone;
        word = words_[i];
    }
}

BitSet& BitSet::operator|=(const BitSet& other) {
    BERTH_ASSERT(size_ == other.size_);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
}

BitSet& BitSet::operator&=(const BitSet& other) {
    BERTH_ASSERT(size_ == other.size_);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
}

BitSet& BitSet::operator-=(const BitSet& other) {
    BERTH_ASSERT(size_ == other.size_);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
}

bool BitSet::is_subset_of(const BitSet& other) const {
    BERTH_ASSERT(size_ == other.size_);
    for (std::size_t i = 0; i < words_.size(); ++i) {
        if ((words_[i] & ~other.words_[i]) != 0) return false;
    }
    return true;
}

bool BitSet::intersects(const BitSet& other) const {
    BERTH_ASSERT(size_ == other.size_);
    for (std::size_t i = 0; i < words_.size(); ++i) {
        if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
}

std::string mask_to_list(std::uint64_t mask) {
    std::string list;
    while (mask != 0) {
        const int low = lowest(mask);
        const int length = std::countr_one(mask >> low);
        append_range(list, static_cast<std::size_t>(low),
                     static_cast<std::size_t>(low + length - 1));
        mask &= ~(low_bits(length) << low);
    }
    return list;
}

Result<std::uint64_t> list_to_mask(std::string_view list) {
    std::uint64_t mask = 0;
    BERTH_CHECK(
        for_each_in_list(list, 64, [&](std::size_t n) { mask |= bit(static_cast<int>(n)); }));
    return mask;
}

}  // namespace berth
