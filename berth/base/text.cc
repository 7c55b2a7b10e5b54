// Plain ASCII text handling.
#include "berth/base/text.h"

#include <algorithm>
#include <charconv>

namespace berth {
namespace {

template <class Part>
std::string join_all(std::span<const Part> parts, std::string_view separator) {
    std::string joined;
    for (const Part& part : parts) {
        if (&part != parts.data()) joined += separator;
        joined += part;
    }
    return joined;
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n\f\v";
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

char to_lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string to_lower(std::string_view text) {
    std::string lower(text);
    for (char& letter : lower) letter = to_lower(letter);
    return lower;
}

bool iequals(std::string_view a, std::string_view b) {
    return std::ranges::equal(
        a, b, {}, [](char c) { return to_lower(c); }, [](char c) { return to_lower(c); });
}

bool starts_with_icase(std::string_view text, std::string_view prefix) {
    return iequals(text.substr(0, prefix.size()), prefix);
}

Result<std::int64_t> parse_int64(std::string_view text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data(), end, number);
    if (failure == std::errc::result_out_of_range) {
        return Error{ErrorCode::invalid_argument, "\"" + std::string(text) + "\" is too large"};
    }
    if (failure != std::errc{} || rest != end) {
        return Error{ErrorCode::invalid_argument,
                     "\"" + std::string(text) + "\" is not a whole number"};
    }
    return number;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
    return join_all(parts, separator);
}

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
    return join_all(parts, separator);
}

}  // namespace berth
