// What a daemon says when it runs out of descriptors, processes or memory: which limit to raise,
// instead of the text of a library's exception.
#pragma once

#include <string_view>

namespace berth {

// From now on, explains threads that could not be started and failed memory allocations. Raises the
// limit of open files to the hard limit, and ends the process if that is too low to start.
// `program`: the name in the message.
void explain_limits(const char* program);

// Ends the process because something that it needs to start was not available. `number`: the errno.
[[noreturn]] void end_for_want_of(std::string_view what, int number);

}  // namespace berth
