// IdTable: a persistent map from small numbers to shared immutable values. A copy is O(1) and never
// changes: setting a value in one table copies the few nodes on the path to it and shares the rest.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "berth/base/assert.h"

namespace berth {

// A radix tree with 64 children at each of six levels; a node stores only those that exist.
template <class T>
class IdTable {
public:
    using Value = std::shared_ptr<const T>;

    // nullptr: none.
    const T* find(std::uint32_t id) const {
        const Node* node = root_.get();
        for (int level = kLevels - 1; level > 0 && node != nullptr; --level)
            node = child(*node, digit(id, level));
        if (node == nullptr || !has(*node, digit(id, 0))) return nullptr;
        return node->values[place(*node, digit(id, 0))].get();
    }

    // The first at or after `id`.
    std::optional<std::pair<std::uint32_t, const T*>> lower_bound(std::uint32_t id) const {
        if (!root_) return std::nullopt;
        return first_from(*root_, kLevels - 1, 0, id);
    }

    template <class Visit>
    void for_each(Visit visit) const {
        if (root_) walk(*root_, kLevels - 1, 0, visit);
    }

    std::size_t size() const { return size_; }

    // `edition`: nodes made under this number belong to this table alone and may change in place.
    // REQUIRES: a new number after every copy that was handed out.
    void set(std::uint64_t snapshot, std::uint32_t id, Value value) {
        BERTH_ASSERT(value != nullptr);
        Node* node = own(snapshot, root_);
        for (int level = kLevels - 1; level > 0; --level)
            node = own(snapshot, slot(node->children, *node, digit(id, level)));
        const bool is_new = !has(*node, digit(id, 0));
        slot(node->values, *node, digit(id, 0)) = std::move(value);
        size_ += is_new ? 1 : 0;
    }
    void erase(std::uint64_t snapshot, std::uint32_t id) {
        if (find(id) == nullptr) return;
        remove(snapshot, root_, kLevels - 1, id);
        --size_;
    }

private:
    static constexpr int kBits = 6;
    static constexpr int kLevels = 6;  // 36 bits, of which an id needs 32.

    struct Node {
        std::uint64_t snapshot = 0;
        std::uint64_t present = 0;  // Bit set of the children that exist.
        std::vector<std::shared_ptr<Node>> children;
        std::vector<Value> values;  // At level 0.
    };

    static unsigned digit(std::uint32_t id, int level) {
        return static_cast<unsigned>(std::uint64_t{id} >> (kBits * level)) & 63U;
    }
    static bool has(const Node& node, unsigned at) { return (node.present >> at & 1) != 0; }
    static std::size_t place(const Node& node, unsigned at) {
        return static_cast<std::size_t>(
            std::popcount(node.present & ((std::uint64_t{1} << at) - 1)));
    }
    static const Node* child(const Node& node, unsigned at) {
        return has(node, at) ? node.children[place(node, at)].get() : nullptr;
    }

    // The slot for this digit, made if it does not exist.
    template <class Slot>
    static Slot& slot(std::vector<Slot>& slots, Node& node, unsigned at) {
        const std::size_t index = place(node, at);
        if (!has(node, at)) {
            slots.insert(slots.begin() + static_cast<std::ptrdiff_t>(index), Slot{});
            node.present |= std::uint64_t{1} << at;
        }
        return slots[index];
    }
    // Replaces a node that may be shared by one that may be changed.
    static Node* own(std::uint64_t snapshot, std::shared_ptr<Node>& node) {
        if (!node) {
            node = std::make_shared<Node>();
        } else if (node->snapshot != snapshot) {
            node = std::make_shared<Node>(*node);
        }
        node->snapshot = snapshot;
        return node.get();
    }
    static void remove(std::uint64_t snapshot, std::shared_ptr<Node>& node, int level,
                       std::uint32_t id) {
        Node* const mine = own(snapshot, node);
        const unsigned at = digit(id, level);
        const auto index = static_cast<std::ptrdiff_t>(place(*mine, at));
        if (level > 0) {
            std::shared_ptr<Node>& below = mine->children[static_cast<std::size_t>(index)];
            remove(snapshot, below, level - 1, id);
            if (below) return;
            mine->children.erase(mine->children.begin() + index);
        } else {
            mine->values.erase(mine->values.begin() + index);
        }
        mine->present &= ~(std::uint64_t{1} << at);
        if (mine->present == 0) node.reset();
    }

    static std::optional<std::pair<std::uint32_t, const T*>> first_from(const Node& node, int level,
                                                                        std::uint64_t prefix,
                                                                        std::uint64_t from) {
        const std::uint64_t width = std::uint64_t{1} << (kBits * level);
        std::size_t index = 0;
        for (std::uint64_t rest = node.present; rest != 0; rest &= rest - 1, ++index) {
            const std::uint64_t first =
                prefix + static_cast<std::uint64_t>(std::countr_zero(rest)) * width;
            if (first + width <= from) continue;
            if (level == 0)
                return std::pair{static_cast<std::uint32_t>(first), node.values[index].get()};
            if (auto found = first_from(*node.children[index], level - 1, first, from))
                return found;
        }
        return std::nullopt;
    }
    template <class Visit>
    static void walk(const Node& node, int level, std::uint64_t prefix, Visit& visit) {
        const std::uint64_t width = std::uint64_t{1} << (kBits * level);
        std::size_t index = 0;
        for (std::uint64_t rest = node.present; rest != 0; rest &= rest - 1, ++index) {
            const std::uint64_t first =
                prefix + static_cast<std::uint64_t>(std::countr_zero(rest)) * width;
            if (level == 0) {
                visit(static_cast<std::uint32_t>(first), *node.values[index]);
            } else {
                walk(*node.children[index], level - 1, first, visit);
            }
        }
    }

    std::shared_ptr<Node> root_;
    std::size_t size_ = 0;
};

}  // namespace berth
