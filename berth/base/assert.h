// BERTH_ASSERT: what must hold if our own code is right. On in every build.
//
// What users, files or the network get wrong is no bug of ours: return an Error for that.
#pragma once

namespace berth {

// Prints the place and the condition to stderr, and aborts.
[[noreturn]] void assert_failed(const char* condition, const char* file, int line);

}  // namespace berth

#define BERTH_ASSERT(condition)                          \
    (static_cast<bool>(condition) ? static_cast<void>(0) \
                                  : ::berth::assert_failed(#condition, __FILE__, __LINE__))
