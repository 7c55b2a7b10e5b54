// JobSet: a set of jobs, one bit each, visited in id order. Ids are consecutive, so the words are
// well filled: 100 000 pending jobs take 12 KiB, where a std::set takes 4.8 MiB.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "berth/model/ids.h"

namespace berth {

class JobSet {
public:
    bool contains(JobId id) const {
        const std::size_t word = word_of(id);
        return word < words_.size() && (words_[word] & bit_of(id)) != 0;
    }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    void insert(JobId id) {
        const std::size_t word = word_of(id);
        if (word >= words_.size()) words_.resize(word + 1);
        if ((words_[word] & bit_of(id)) != 0) return;
        words_[word] |= bit_of(id);
        first_ = size_++ == 0 ? word : std::min(first_, word);
    }
    void erase(JobId id) {
        if (!contains(id)) return;
        words_[word_of(id)] &= ~bit_of(id);
        --size_;
        while (size_ > 0 && words_[first_] == 0) ++first_;
    }

    // The visited element may be erased during iteration; no other change is allowed.
    class Iterator {
    public:
        using value_type = JobId;
        using difference_type = std::ptrdiff_t;
        using reference = JobId;
        using pointer = void;
        using iterator_category = std::input_iterator_tag;
        using iterator_concept = std::forward_iterator_tag;

        Iterator() = default;
        Iterator(const JobSet* set, std::size_t word) : set_(set), word_(word) { settle(0); }
        JobId operator*() const { return JobId(static_cast<std::uint32_t>(word_ * kBits + bit_)); }
        Iterator& operator++() {
            settle(bit_ + 1);
            return *this;
        }
        Iterator operator++(int) {
            const Iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const Iterator& a, const Iterator& b) {
            return a.word_ == b.word_ && a.bit_ == b.bit_;
        }

    private:
        void settle(std::size_t from) {
            for (; word_ < set_->words_.size(); ++word_, from = 0) {
                if (from >= kBits) continue;
                const std::uint64_t left = set_->words_[word_] >> from << from;
                if (left == 0) continue;
                bit_ = static_cast<std::size_t>(std::countr_zero(left));
                return;
            }
            bit_ = 0;
        }
        const JobSet* set_ = nullptr;
        std::size_t word_ = 0, bit_ = 0;
    };
    Iterator begin() const { return {this, empty() ? words_.size() : first_}; }
    Iterator end() const { return {this, words_.size()}; }

    friend bool operator==(const JobSet& a, const JobSet& b) {
        return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    static constexpr std::size_t kBits = 64;
    static std::size_t word_of(JobId id) { return id.index() / kBits; }
    static std::uint64_t bit_of(JobId id) { return std::uint64_t{1} << id.value() % kBits; }

    std::vector<std::uint64_t> words_;
    std::size_t size_ = 0;
    std::size_t first_ = 0;  // No job is in a word before this one.
};

}  // namespace berth
