// How many bytes of the heap are in use, counted as they come and go. For measurements alone.
#pragma once

#include <cstddef>

namespace berth::bench {

std::size_t heap_in_use();

}  // namespace berth::bench
