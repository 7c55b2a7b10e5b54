// The end of a process that found itself wrong.
#include "berth/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace berth {

void assert_failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    std::fflush(stderr);
    std::abort();
}

}  // namespace berth
