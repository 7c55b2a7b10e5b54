// A type that holds a plain value in another way, to take less memory, says which one: it has
// `Plain`, is made from one, and gives it by plain(). Codec, hash and JSON read and write the plain
// value, so that what is written does not depend on how it is held.
#pragma once

#include <utility>

namespace berth {

template <class T>
concept HasPlain = requires(const T& held, typename T::Plain value) {
    T(std::move(value));
    static_cast<typename T::Plain>(held.plain());
};

}  // namespace berth
