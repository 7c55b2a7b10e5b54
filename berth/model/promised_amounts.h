// PlannedAmounts: so much of each of some nodes, as a promise says it. There is one for each
// blocked job, so it is kept small: one pointer to one piece of memory, which copies hold together.
//
//   holders | nodes | dimensions, alike | the nodes | the amounts
//
// Of the amounts only the dimensions that any of them has; and where they are the same on all
// nodes, as they mostly are, only one. It never changes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "berth/base/holders.h"
#include "berth/model/ids.h"
#include "berth/model/resources.h"

namespace berth {

// So much of each of some nodes.
using NodeAmounts = std::vector<std::pair<NodeId, Resources>>;

class PlannedAmounts {
public:
    using Plain = NodeAmounts;

    PlannedAmounts() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): it is that value, held otherwise.
    PlannedAmounts(const NodeAmounts& amounts);
    PlannedAmounts(std::initializer_list<std::pair<NodeId, Resources>> amounts)
        : PlannedAmounts(NodeAmounts(amounts)) {}
    PlannedAmounts(const PlannedAmounts& other);
    PlannedAmounts(PlannedAmounts&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
    PlannedAmounts& operator=(PlannedAmounts other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    ~PlannedAmounts();

    NodeAmounts plain() const { return {begin(), end()}; }

    std::size_t size() const { return held_ == nullptr ? 0 : held_->nodes; }
    bool empty() const { return size() == 0; }
    std::span<const NodeId> nodes() const;
    Resources amount(std::size_t at) const;
    std::pair<NodeId, Resources> operator[](std::size_t at) const {
        return {nodes()[at], amount(at)};
    }
    std::pair<NodeId, Resources> front() const { return (*this)[0]; }

    // Pairs of a node and an amount, made as they are read.
    class Iterator {
    public:
        using value_type = std::pair<NodeId, Resources>;
        using difference_type = std::ptrdiff_t;
        using reference = value_type;
        using pointer = void;
        using iterator_category = std::input_iterator_tag;
        using iterator_concept = std::forward_iterator_tag;

        Iterator() = default;
        Iterator(const PlannedAmounts* amounts, std::size_t at) : amounts_(amounts), at_(at) {}
        value_type operator*() const { return (*amounts_)[at_]; }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        Iterator operator++(int) { return {amounts_, at_++}; }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

    private:
        const PlannedAmounts* amounts_ = nullptr;
        std::size_t at_ = 0;
    };
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, size()}; }

    bool is_same(const PlannedAmounts& other) const { return held_ == other.held_; }
    friend bool operator==(const PlannedAmounts& a, const PlannedAmounts& b);

private:
    struct Held {
        Holders holders;
        std::uint32_t nodes : 31;
        std::uint32_t alike : 1;
        DimensionSet dimensions;
    };
    static std::size_t amounts_at(std::size_t nodes);  // In bytes from the beginning.
    std::size_t bytes() const;

    Held* held_ = nullptr;
};

}  // namespace berth
