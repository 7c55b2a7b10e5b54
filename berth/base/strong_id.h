// StrongId: a whole number that names one kind of thing. A JobId is neither a NodeId nor an int.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

namespace berth {

// There is no null id: a thing that may be absent is a std::optional. There is no std::hash either:
// whoever wants one is about to iterate over an unordered container.
template <class Tag, class Rep = std::uint32_t>
class StrongId {
public:
    constexpr StrongId() =
        default;  // 0: so that a record can be read into it. No meaning of its own.
    constexpr explicit StrongId(Rep value) : value_(value) {}

    constexpr Rep value() const { return value_; }

    // The place of this thing in a dense vector of its kind, and back.
    constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }
    static constexpr StrongId from_index(std::size_t index) {
        return StrongId(static_cast<Rep>(index));
    }

    friend constexpr auto operator<=>(StrongId, StrongId) = default;

private:
    Rep value_{};
};

template <class Tag, class Rep>
std::string to_string(StrongId<Tag, Rep> id) {
    return std::to_string(id.value());
}

}  // namespace berth
