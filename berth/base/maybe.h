// Maybe: a time, a length of time, an id or a number, or none, in the room of one: none is a value
// that nobody has (no_value). To be used like std::optional, and written as that.
// Rare: any value that is seldom there, for the price of a pointer. Copies hold the same one; it is
// copied when one of them changes it.
#pragma once

#include <concepts>
#include <optional>
#include <utility>

#include "berth/base/shared.h"

namespace berth {

// The lowest time, id 0, the highest number.
template <class T>
constexpr T no_value() {
    if constexpr (std::unsigned_integral<T>) {
        return static_cast<T>(-1);
    } else if constexpr (requires { T::min(); }) {
        return T::min();
    } else {
        return T(0);
    }
}

// NOLINTBEGIN(google-explicit-constructor): they are that value, held otherwise.
template <class T>
class Maybe {
public:
    using Plain = std::optional<T>;

    constexpr Maybe() = default;
    constexpr Maybe(std::nullopt_t) {}
    template <std::convertible_to<T> U>
    constexpr Maybe(const U& value) : value_(value) {}
    template <std::convertible_to<T> U>
    constexpr Maybe(const std::optional<U>& value) : value_(value ? T(*value) : no_value<T>()) {}

    constexpr Plain plain() const { return has_value() ? Plain(value_) : std::nullopt; }
    constexpr operator Plain() const { return plain(); }

    constexpr bool has_value() const { return value_ != no_value<T>(); }
    constexpr explicit operator bool() const { return has_value(); }
    constexpr const T& operator*() const { return value_; }
    constexpr T& operator*() { return value_; }
    constexpr const T* operator->() const { return &value_; }
    constexpr T value_or(T otherwise) const { return has_value() ? value_ : otherwise; }
    constexpr void reset() { value_ = no_value<T>(); }

    friend constexpr bool operator==(const Maybe&, const Maybe&) = default;
    template <std::convertible_to<T> Other>
    friend constexpr bool operator==(const Maybe& a, const Other& b) {
        return a.has_value() && a.value_ == T(b);
    }
    friend constexpr bool operator==(const Maybe& a, std::nullopt_t) { return !a.has_value(); }

private:
    T value_ = no_value<T>();
};

template <class T>
class Rare {
public:
    using Plain = std::optional<T>;

    Rare() = default;
    Rare(std::nullopt_t) {}
    Rare(T value) : held_(Plain(std::move(value))) {}
    Rare(Plain value) : held_(std::move(value)) {}

    const Plain& plain() const { return *held_; }
    operator const Plain&() const { return *held_; }

    bool has_value() const { return held_->has_value(); }
    explicit operator bool() const { return has_value(); }
    const T& operator*() const { return **held_; }
    const T* operator->() const { return &**held_; }
    // To be changed at once: the reference is not to be kept.
    T& operator*() { return *held_.edit(); }
    T* operator->() { return &*held_.edit(); }
    void reset() { held_ = {}; }
    T& emplace() { return held_.edit().emplace(); }

    friend bool operator==(const Rare&, const Rare&) = default;
    friend bool operator==(const Rare& a, const T& b) { return a.plain() == b; }
    friend bool operator==(const Rare& a, std::nullopt_t) { return !a.has_value(); }

private:
    Shared<Plain> held_;
};
// NOLINTEND(google-explicit-constructor)

}  // namespace berth
