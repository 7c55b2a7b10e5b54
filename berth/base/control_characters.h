// Control characters of texts that users give, before others' programs read these.
#pragma once

#include <string>
#include <string_view>

namespace berth {

// Each of them as \ and three octal digits: a line feed is \012.
std::string with_escaped_controls(std::string_view text);

}  // namespace berth
