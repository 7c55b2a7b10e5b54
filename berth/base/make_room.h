// make_room: before a vector gets one more element, room for that and for an eighth more, where
// doubling would leave half of it unused. For those of which there is one for each node or holder,
// or which have an element for each job; one more element then costs eight copies, not two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace berth {

template <class T>
void make_room(std::vector<T>& list, std::size_t more = 1) {
    constexpr std::size_t kLeastBytes = 24;  // What malloc gives at least.
    const std::size_t size = list.size() + more;
    if (size > list.capacity()) list.reserve(std::max(size + size / 8, kLeastBytes / sizeof(T)));
}

}  // namespace berth
