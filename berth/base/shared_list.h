// SharedList: a list whose copies share their elements, so that a copy of thousands of them costs
// next to nothing. It is read like a std::vector, and changed with edit(). It is written and hashed
// exactly as a std::vector of the same elements.
//
// The elements lie in pieces of 64. A copy takes one pointer for each piece. A change copies the
// piece that it is in, if another list holds that piece, too; no other list sees the change.
//
// Reading, changing and adding an element take constant time. Erasing copies the elements behind
// the first one that is erased.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include "berth/base/shared.h"

namespace berth {

template <class T>
class SharedList {
    static constexpr std::size_t kPieceSize = 64;
    using Piece = Shared<std::vector<T>>;

public:
    using value_type = T;

    class Iterator {
    public:
        using iterator_category = std::random_access_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T*;
        using reference = const T&;

        Iterator() = default;
        Iterator(const SharedList* list, std::size_t at) : list_(list), at_(at) {}

        reference operator*() const { return (*list_)[at_]; }
        pointer operator->() const { return &**this; }
        reference operator[](difference_type n) const { return *(*this + n); }
        Iterator& operator+=(difference_type n) {
            at_ += static_cast<std::size_t>(n);
            return *this;
        }
        Iterator& operator-=(difference_type n) { return *this += -n; }
        Iterator& operator++() { return *this += 1; }
        Iterator& operator--() { return *this += -1; }
        Iterator operator++(int) { return std::exchange(*this, *this + 1); }
        Iterator operator--(int) { return std::exchange(*this, *this - 1); }
        friend Iterator operator+(Iterator it, difference_type n) { return it += n; }
        friend Iterator operator+(difference_type n, Iterator it) { return it += n; }
        friend Iterator operator-(Iterator it, difference_type n) { return it -= n; }
        friend difference_type operator-(const Iterator& a, const Iterator& b) {
            return static_cast<difference_type>(a.at_ - b.at_);
        }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
        friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.at_ <=> b.at_; }

    private:
        const SharedList* list_ = nullptr;
        std::size_t at_ = 0;
    };

    using iterator = Iterator;
    using const_iterator = Iterator;

    SharedList() = default;
    // NOLINTBEGIN(google-explicit-constructor): it is that list, held otherwise.
    SharedList(std::vector<T> items) {
        for (T& item : items) push_back(std::move(item));
    }
    SharedList(std::initializer_list<T> items) {
        for (const T& item : items) push_back(item);
    }
    // NOLINTEND(google-explicit-constructor)

    std::size_t size() const {
        return pieces_.empty() ? 0 : (pieces_.size() - 1) * kPieceSize + pieces_.back().size();
    }
    bool empty() const { return pieces_.empty(); }
    // REQUIRES: i < size(); for front() and back(), not empty(). References and iterators are valid
    // until this list is changed or destroyed, even if another list shares the elements.
    const T& operator[](std::size_t i) const { return pieces_[i / kPieceSize][i % kPieceSize]; }
    const T& front() const { return pieces_.front().front(); }
    const T& back() const { return pieces_.back().back(); }
    Iterator begin() const { return Iterator(this, 0); }
    Iterator end() const { return Iterator(this, size()); }

    // The element to be changed at once: do not keep the reference. REQUIRES: i < size().
    T& edit(std::size_t i) { return pieces_[i / kPieceSize].edit()[i % kPieceSize]; }
    T& push_back(T item) {
        if (size() % kPieceSize == 0) pieces_.emplace_back();
        return pieces_.back().edit().emplace_back(std::move(item));
    }
    void resize(std::size_t size_wanted) {
        while (size() < size_wanted) push_back(T{});
        if (size() == size_wanted) return;
        pieces_.resize((size_wanted + kPieceSize - 1) / kPieceSize);
        if (size() > size_wanted) pieces_.back().edit().resize(size_wanted % kPieceSize);
    }
    void clear() { pieces_.clear(); }
    // Like std::erase_if: returns the number of erased elements.
    template <class Predicate>
    friend std::size_t erase_if(SharedList& list, Predicate goes) {
        const SharedList before = list;
        const auto first = std::ranges::find_if(before, goes);
        list.resize(static_cast<std::size_t>(first - before.begin()));
        for (std::size_t i = list.size() + 1; i < before.size(); ++i) {
            if (!goes(before[i])) list.push_back(before[i]);
        }
        return before.size() - list.size();
    }

    // Both lists are divided at the same places, so a piece equals a piece.
    friend bool operator==(const SharedList& a, const SharedList& b) = default;

private:
    std::vector<Piece> pieces_;  // All but the last one have 64 elements. None is empty.
};

// The element to be changed, for code that is written once for both kinds of list.
template <class T>
T& edit_at(SharedList<T>& list, std::size_t i) {
    return list.edit(i);
}
template <class T>
T& edit_at(std::vector<T>& list, std::size_t i) {
    return list[i];
}

}  // namespace berth
