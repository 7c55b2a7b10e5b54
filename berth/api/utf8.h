// What is UTF-8 and what is not; and the bytes that are not, as escapes of lone surrogates.
#pragma once

#include <string>
#include <string_view>

namespace berth::api {

// As RFC 3629 has it: nothing overlong, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

// The text as a JSON string, quotes and all. A byte that is part of no UTF-8 becomes \udc80 …
// \udcff.
std::string quote_bytes(std::string_view text);

// The way back: a JSON parser has made three bytes of each such escape, of which this makes the
// one. False: there is a lone surrogate that is none of those.
bool unescape_bytes(std::string_view text, std::string& out);

}  // namespace berth::api
