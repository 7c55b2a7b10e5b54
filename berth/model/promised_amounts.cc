#include "berth/model/promised_amounts.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace berth {
namespace {

DimensionSet used_of(const Resources& amount) {
    DimensionSet used = 0;
    for (std::size_t i = 0; i < kDimensionsMax; ++i) {
        const DimensionId d = DimensionId::from_index(i);
        if (amount[d] != 0) used |= dimension_bit(d);
    }
    return used;
}

}  // namespace

std::size_t PlannedAmounts::amounts_at(std::size_t nodes) {
    const std::size_t unaligned = sizeof(Held) + nodes * sizeof(NodeId);
    return (unaligned + sizeof(std::int64_t) - 1) / sizeof(std::int64_t) * sizeof(std::int64_t);
}

std::size_t PlannedAmounts::bytes() const {
    const auto width = static_cast<std::size_t>(std::popcount(held_->dimensions));
    return amounts_at(held_->nodes) +
           (held_->alike != 0 ? 1 : held_->nodes) * width * sizeof(std::int64_t);
}

PlannedAmounts::PlannedAmounts(const NodeAmounts& amounts) {
    if (amounts.empty()) return;
    Held head{};
    head.nodes = static_cast<std::uint32_t>(amounts.size()) & 0x7FFF'FFFFU;
    DimensionSet used = 0;
    for (const auto& [node, amount] : amounts) used |= used_of(amount);
    head.dimensions = used;
    const auto is_alike = [&](const auto& part) { return part.second == amounts.front().second; };
    head.alike = std::ranges::all_of(amounts, is_alike) ? 1 : 0;
    held_ = &head;  // To learn its size.
    const std::size_t size = bytes();
    auto* const memory = static_cast<std::byte*>(::operator new(size));
    std::memset(memory, 0, size);
    held_ = new (memory) Held(head);
    auto* const nodes = reinterpret_cast<NodeId*>(memory + sizeof(Held));
    auto* out = reinterpret_cast<std::int64_t*>(memory + amounts_at(amounts.size()));
    for (std::size_t i = 0; i < amounts.size(); ++i) {
        new (nodes + i) NodeId(amounts[i].first);
        if (i > 0 && head.alike != 0) continue;
        for (DimensionSet left = used; left != 0; left &= left - 1) {
            const auto d = static_cast<std::size_t>(std::countr_zero(left));
            *out++ = amounts[i].second[DimensionId::from_index(d)];
        }
    }
}

PlannedAmounts::PlannedAmounts(const PlannedAmounts& other) : held_(other.held_) {
    if (held_ != nullptr) held_->holders.add();
}

PlannedAmounts::~PlannedAmounts() {
    if (held_ != nullptr && held_->holders.drop()) ::operator delete(held_);
}

std::span<const NodeId> PlannedAmounts::nodes() const {
    if (held_ == nullptr) return {};
    return {reinterpret_cast<const NodeId*>(held_ + 1), held_->nodes};
}

Resources PlannedAmounts::amount(std::size_t at) const {
    const DimensionSet dimensions = held_->dimensions;
    const auto* next = reinterpret_cast<const std::int64_t*>(
        reinterpret_cast<const std::byte*>(held_) + amounts_at(held_->nodes));
    if (held_->alike == 0) next += at * static_cast<std::size_t>(std::popcount(dimensions));
    Resources amount;
    for (DimensionSet left = dimensions; left != 0; left &= left - 1) {
        amount[DimensionId::from_index(static_cast<std::size_t>(std::countr_zero(left)))] = *next++;
    }
    return amount;
}

// What is equal is laid out alike: the dimensions are those that are used.
bool operator==(const PlannedAmounts& a, const PlannedAmounts& b) {
    if (a.is_same(b)) return true;
    if (a.held_ == nullptr || b.held_ == nullptr) return false;
    constexpr std::size_t kCount = sizeof(Holders);  // Which is their own.
    const std::size_t size = a.bytes();
    return size == b.bytes() &&
           std::memcmp(reinterpret_cast<const std::byte*>(a.held_) + kCount,
                       reinterpret_cast<const std::byte*>(b.held_) + kCount, size - kCount) == 0;
}

}  // namespace berth
