// LimitUse: what one run or planned start uses of limits and quotas. There is one for each blocked
// job of a site with limits, so it is kept small: one pointer to one piece of memory, which copies
// hold together.
//
//   holders | account | how many, counted and queued | of what each is | how much of each
//
// It never changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <utility>

#include "berth/base/holders.h"
#include "berth/engine/state/queue_quotas.h"

namespace berth {

class LimitUse {
public:
    struct Part {
        std::uint32_t of = 0;
        std::int64_t amount = 0;  // Not 0.
    };
    using Account = QueueQuotas::Index;

private:
    struct Held {
        Holders holders;
        Account account;
        std::uint16_t counted, queued;
    };
    static std::size_t amounts_at(std::size_t count) {  // In bytes from the beginning.
        const std::size_t unaligned = sizeof(Held) + count * sizeof(std::uint32_t);
        return (unaligned + sizeof(std::int64_t) - 1) / sizeof(std::int64_t) * sizeof(std::int64_t);
    }
    std::size_t count() const { return empty() ? 0 : held_->counted + held_->queued; }
    std::span<const std::byte> content() const;  // All but the count of holders.

    auto parts(std::size_t from, std::size_t to) const {
        const std::uint32_t* of = nullptr;
        const std::int64_t* amounts = nullptr;
        if (!empty()) {
            of = reinterpret_cast<const std::uint32_t*>(held_ + 1);
            amounts = reinterpret_cast<const std::int64_t*>(
                reinterpret_cast<const std::byte*>(held_) + amounts_at(count()));
        }
        return std::views::iota(from, to) | std::views::transform([of, amounts](std::size_t i) {
                   return Part{of[i], amounts[i]};
               });
    }

public:
    LimitUse() = default;  // Nothing.
    // `counted`: by counters of the LimitBook. `queued`: by TRES, of the account and of those above
    // it.
    LimitUse(std::span<const Part> counted, Account account, std::span<const Part> queued);
    LimitUse(const LimitUse& other) : held_(other.held_) {
        if (held_ != nullptr) held_->holders.add();
    }
    LimitUse(LimitUse&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
    LimitUse& operator=(LimitUse other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    ~LimitUse() {
        if (held_ != nullptr && held_->holders.drop()) ::operator delete(held_);
    }

    bool empty() const { return held_ == nullptr; }
    Account account() const { return empty() ? QueueQuotas::kNone : held_->account; }
    auto counted() const { return parts(0, empty() ? 0 : held_->counted); }
    auto queued() const { return parts(empty() ? 0 : held_->counted, count()); }

    bool is_same(const LimitUse& other) const { return held_ == other.held_; }
    friend bool operator==(const LimitUse& a, const LimitUse& b);
    // Equal ones have the same. For tables whose order nothing depends on.
    std::uint64_t hash() const;

private:
    Held* held_ = nullptr;
};

}  // namespace berth
