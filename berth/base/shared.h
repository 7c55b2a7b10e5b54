// Shared: a value that many may hold and nobody changes. Copies hold the same one; what equals the
// default takes no memory at all. Who wants another value makes it: edit().
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace berth {

template <class T>
class Shared {
public:
    Shared() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): it is that value, held otherwise.
    Shared(T value) {
        if (!(value == T{})) value_ = std::make_shared<const T>(std::move(value));
    }

    const T& operator*() const {
        static const T kDefault{};
        return value_ == nullptr ? kDefault : *value_;
    }
    const T* operator->() const { return &**this; }
    // NOLINTNEXTLINE(google-explicit-constructor): read as what it is.
    operator const T&() const { return **this; }

    // A copy of its own, to be changed at once: the reference is not to be kept.
    T& edit() {
        auto own = std::make_shared<T>(**this);
        T& value = *own;
        value_ = std::move(own);
        return value;
    }

    // Whether it is the very same object, not only an equal one.
    bool is_same(const Shared& other) const { return value_ == other.value_; }

    // Nobody else holds it.
    bool is_alone() const { return value_.use_count() <= 1; }

    friend bool operator==(const Shared& a, const Shared& b) { return a.is_same(b) || *a == *b; }

    // Of a sequence.
    auto begin() const { return (**this).begin(); }
    auto end() const { return (**this).end(); }
    std::size_t size() const { return (**this).size(); }
    bool empty() const { return (**this).empty(); }
    const auto& front() const { return (**this).front(); }

private:
    std::shared_ptr<const T> value_;
};

}  // namespace berth
