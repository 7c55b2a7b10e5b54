#include "berth/model/bind_list.h"

#include <charconv>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::size_t kTasksMax = 4096;
constexpr std::size_t kBindTextMax = std::size_t{1} << 16;

// "0x" makes it hexadecimal.
std::optional<std::uint32_t> parse_below(std::string_view text, std::uint32_t end) {
    std::uint32_t number = 0;
    const int base = starts_with_icase(text, "0x") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    const auto [stop, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return {};
    return number < end ? std::optional(number) : std::nullopt;
}

// "0xC" is 2 and 3. Masks of large machines have more digits than any integer.
std::optional<std::vector<std::uint32_t>> parse_mask(std::string_view text, std::uint32_t end) {
    if (starts_with_icase(text, "0x")) text.remove_prefix(2);
    if (text.empty() || text.size() > end / 4) return std::nullopt;
    std::vector<std::uint32_t> numbers;
    for (std::size_t digit = 0; digit < text.size(); ++digit) {
        unsigned value = 0;
        const char* const at = &text[text.size() - 1 - digit];
        if (std::from_chars(at, at + 1, value, 16).ec != std::errc()) return std::nullopt;
        for (std::uint32_t i = 0; i < 4; ++i) {
            if ((value >> i & 1U) != 0)
                numbers.push_back(static_cast<std::uint32_t>(digit) * 4 + i);
        }
    }
    return numbers.empty() ? std::nullopt : std::optional(numbers);
}

}  // namespace

std::optional<BindList> parse_bind_list(std::string_view text, bool masks, std::uint32_t end) {
    if (text.size() > kBindTextMax) return std::nullopt;
    BindList list;
    for (std::string_view part : split(text, ',')) {
        std::uint32_t times = 1;
        if (const auto star = part.find('*'); star != std::string_view::npos) {
            const auto count = parse_below(part.substr(star + 1), kTasksMax + 1);
            if (!count || *count == 0) return std::nullopt;
            times = *count;
            part = part.substr(0, star);
        }
        if (list.size() + times > kTasksMax) return std::nullopt;
        std::optional<std::vector<std::uint32_t>> numbers;
        if (masks) {
            numbers = parse_mask(part, end);
        } else if (const auto number = parse_below(part, end)) {
            numbers = {*number};
        }
        if (!numbers) return std::nullopt;
        list.insert(list.end(), times, *numbers);
    }
    return list;
}

}  // namespace berth
