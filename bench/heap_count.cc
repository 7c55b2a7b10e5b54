#include "bench/heap_count.h"

#include <malloc.h>

namespace berth::bench {

// What malloc gave out, its own overhead included.
std::size_t heap_in_use() {
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
}

}  // namespace berth::bench
