// StateHash: a 64-bit fingerprint of a state, the same with every compiler and on every processor.
//
// It is for telling two states apart in tests and replays, not for hash tables and not for secrets.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "berth/base/quantity.h"
#include "berth/base/strong_id.h"
#include "berth/base/time.h"

namespace berth {

class StateHash {
public:
    // Whole numbers of any width: 5 is 5, whether int or uint64_t. Bools and enums count as
    // numbers.
    template <class T>
        requires std::integral<T> || std::is_enum_v<T>
    void add(T number) {
        if constexpr (std::is_enum_v<T>) {
            add(static_cast<std::underlying_type_t<T>>(number));
        } else if constexpr (std::is_signed_v<T>) {
            add_word(static_cast<std::uint64_t>(static_cast<std::int64_t>(number)));
        } else {
            add_word(static_cast<std::uint64_t>(number));
        }
    }
    void add(std::string_view text);
    template <class Tag, class Rep>
    void add(StrongId<Tag, Rep> id) {
        add(id.value());
    }
    template <class Unit>
    void add(Quantity<Unit> quantity) {
        add(quantity.count());
    }
    void add(Time at) { add(at.time_since_epoch().count()); }
    void add(Duration length) { add(length.count()); }
    template <class T>
    void add(const std::optional<T>& maybe) {
        add(maybe.has_value());
        if (maybe) add(*maybe);
    }
    // A sequence: its length, then each of its elements in order.
    template <class Sequence>
        requires requires(const Sequence& s) {
            s.size();
            s.begin();
            s.end();
        } && (!std::convertible_to<const Sequence&, std::string_view>)
    void add(const Sequence& sequence) {
        add(sequence.size());
        for (const auto& element : sequence) add(element);
    }

    // The fingerprint of all that was added so far; more may follow.
    std::uint64_t value() const;

private:
    // One round of a multiply-and-rotate mixer; order counts.
    void add_word(std::uint64_t word) {
        ++words_;
        word *= kFirst;
        word = std::rotl(word, 31) * kSecond;
        state_ = std::rotl(state_ ^ word, 27) * kFirst + kThird;
    }

    static constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15;
    static constexpr std::uint64_t kSecond = 0xd6e8feb86659fd93;
    static constexpr std::uint64_t kThird = 0x52dce729da3ed7b5;

    std::uint64_t state_ = kThird;
    std::uint64_t words_ = 0;
};

}  // namespace berth
