#include "berth/engine/plan/limit_use.h"

#include <cstring>
#include <limits>
#include <new>

#include "berth/base/assert.h"
#include "berth/engine/plan/slot_hash.h"

namespace berth {

LimitUse::LimitUse(std::span<const Part> counted, Account account, std::span<const Part> queued) {
    const std::size_t count = counted.size() + queued.size();
    if (count == 0) return;
    BERTH_ASSERT(count <= std::numeric_limits<std::uint16_t>::max());
    const std::size_t bytes = amounts_at(count) + count * sizeof(std::int64_t);
    static_assert(sizeof(Held) % sizeof(std::uint32_t) == 0);  // hash() takes words.
    auto* const memory = static_cast<std::byte*>(::operator new(bytes));
    std::memset(memory, 0, bytes);  // Also what is between the parts: it is compared.
    held_ = new (memory) Held{.holders = {},
                              .account = queued.empty() ? QueueQuotas::kNone : account,
                              .counted = static_cast<std::uint16_t>(counted.size()),
                              .queued = static_cast<std::uint16_t>(queued.size())};
    auto* of = reinterpret_cast<std::uint32_t*>(memory + sizeof(Held));
    auto* amounts = reinterpret_cast<std::int64_t*>(memory + amounts_at(count));
    for (const std::span<const Part> parts : {counted, queued}) {
        for (const Part& part : parts) {
            *of++ = part.of;
            *amounts++ = part.amount;
        }
    }
}

std::span<const std::byte> LimitUse::content() const {
    if (empty()) return {};
    const std::size_t bytes = amounts_at(count()) + count() * sizeof(std::int64_t);
    return {reinterpret_cast<const std::byte*>(held_) + sizeof(Holders), bytes - sizeof(Holders)};
}

bool operator==(const LimitUse& a, const LimitUse& b) {
    if (a.is_same(b)) return true;
    const std::span<const std::byte> one = a.content(), other = b.content();
    return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size()) == 0;
}

std::uint64_t LimitUse::hash() const {
    SlotHash hash;
    for (std::span<const std::byte> left = content(); !left.empty();) {
        std::uint32_t word = 0;
        std::memcpy(&word, left.data(), sizeof word);
        hash.add(word);
        left = left.subspan(sizeof word);
    }
    return hash.value();
}

}  // namespace berth
