// What a daemon says when it cannot go on for want of descriptors, processes or memory: which limit
// is to be raised, instead of what the library happened to throw.
#pragma once

#include <string_view>

namespace berth {

// From here on, for threads that could not be started and memory that was not there. Opens as many
// files as it may, and ends the process if that is too few to begin with. `program` is that of the
// message.
void explain_limits(const char* program);

// Ends the process: what it begins with was not to be had. `number` is the errno.
[[noreturn]] void end_for_want_of(std::string_view what, int number);

}  // namespace berth
