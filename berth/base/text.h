// The few things that parsers of short texts need. ASCII only: no locale plays a part.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth {

// "a,,b" -> {"a", "", "b"}; "" -> {""}. The parts point into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);
// Not of a text that is gone when the parts are read.
template <class Text>
    requires std::same_as<std::remove_const_t<Text>, std::string>
std::vector<std::string_view> split(Text&& text, char separator) = delete;

// Without the blanks, tabs and line ends at both ends.
std::string_view trim(std::string_view text);

char to_lower(char letter);
std::string to_lower(std::string_view text);

bool iequals(std::string_view a, std::string_view b);
bool starts_with_icase(std::string_view text, std::string_view prefix);

// The whole text must be one number: neither blanks nor a unit around it.
Result<std::int64_t> parse_int64(std::string_view text);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::string join(std::span<const std::string_view> parts, std::string_view separator);

}  // namespace berth
