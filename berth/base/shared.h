// Shared: a value that many may hold and nobody changes. Copies hold the same one; what equals the
// default takes no memory at all. Who wants another value makes it: edit().
//
// One pointer, to the value with a count of its holders before it.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "berth/base/holders.h"
#include "berth/base/plain.h"

namespace berth {

namespace shared_detail {
template <class T>
struct Element {
    struct None {};
    using Type = None;
};
template <class T>
    requires requires { typename T::value_type; }
struct Element<T> {
    using Type = typename T::value_type;
};
}  // namespace shared_detail

template <class T>
class Shared {
    using Items = std::initializer_list<typename shared_detail::Element<T>::Type>;

public:
    using Plain = T;

    Shared() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): it is that value, held otherwise.
    Shared(T value) {
        if (!(value == T{})) held_ = new Held{{}, std::move(value)};
    }
    Shared(Items items)
        requires std::constructible_from<T, Items>
        : Shared(T(items)) {}
    Shared(const Shared& other) : held_(other.held_) {
        if (held_ != nullptr) held_->holders.add();
    }
    Shared(Shared&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
    Shared& operator=(Shared other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    ~Shared() {
        if (held_ != nullptr && held_->holders.drop()) delete held_;
    }

    const T& operator*() const {
        if (held_ != nullptr) return held_->value;
        static const T kDefault{};
        return kDefault;
    }
    const T* operator->() const { return &**this; }
    const T& plain() const { return **this; }
    // NOLINTNEXTLINE(google-explicit-constructor): read as what it is.
    operator const T&() const { return **this; }

    // The value to be changed at once, a copy of its own if others hold it: the reference is not to
    // be kept.
    T& edit() {
        if (held_ == nullptr || !is_alone()) {
            Shared own;
            own.held_ = new Held{{}, **this};
            std::swap(held_, own.held_);
        }
        return held_->value;
    }

    // Whether it is the very same object, not only an equal one.
    bool is_same(const Shared& other) const { return held_ == other.held_; }

    // Nobody else holds it.
    bool is_alone() const { return held_ == nullptr || held_->holders.is_one(); }

    friend bool operator==(const Shared& a, const Shared& b) { return a.is_same(b) || *a == *b; }
    friend bool operator==(const Shared& a, const T& b) { return *a == b; }

    void clear() { *this = Shared(); }

    // Of a sequence.
    auto begin() const { return (**this).begin(); }
    auto end() const { return (**this).end(); }
    std::size_t size() const { return (**this).size(); }
    bool empty() const { return (**this).empty(); }
    const auto& front() const { return (**this).front(); }
    const auto& back() const { return (**this).back(); }
    const auto& operator[](std::size_t i) const { return (**this)[i]; }
    const auto& at(std::size_t i) const { return (**this).at(i); }

private:
    struct Held {
        Holders holders;
        T value;
    };
    Held* held_ = nullptr;
};

}  // namespace berth
