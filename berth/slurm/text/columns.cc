#include "berth/slurm/text/columns.h"

#include <algorithm>

#include "berth/base/text.h"

namespace berth::slurm {
namespace {

constexpr std::size_t kWidthMax = 4096;
constexpr std::size_t kLongWidth = 20;

std::string pad(std::string_view text, std::size_t width, bool right) {
    if (text.size() >= width) return std::string(text);
    const std::string blanks(width - text.size(), ' ');
    return right ? blanks + std::string(text) : std::string(text) + blanks;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads a width at `at`; nullopt: there is none, or it is 0.
std::optional<std::size_t> read_width(std::string_view text, std::size_t& at) {
    std::size_t width = 0;
    for (; at < text.size() && is_digit(text[at]) && width <= kWidthMax; ++at) {
        width = width * 10 + static_cast<std::size_t>(text[at] - '0');
    }
    return width == 0 ? std::nullopt : std::optional(std::min(width, kWidthMax));
}

}  // namespace

Result<PercentFormat> parse_percent_format(std::string_view format, std::string_view of) {
    PercentFormat parsed;
    std::size_t at = format.find('%');
    parsed.prefix = format.substr(0, at);
    while (at < format.size()) {
        ++at;  // The percent sign.
        FormatItem item;
        if (at < format.size() && format[at] == '.') item.right = true, ++at;
        item.width = read_width(format, at);
        if (at >= format.size() || !is_letter(format[at])) {
            return Error{ErrorCode::invalid_argument,
                         "Invalid " + std::string(of) + " format specification: " +
                             (at < format.size() ? std::string(1, format[at]) : "%")};
        }
        item.letter = format[at++];
        const std::size_t next = format.find('%', at);
        item.suffix = format.substr(at, next == std::string_view::npos ? next : next - at);
        parsed.items.push_back(std::move(item));
        at = next;
    }
    return parsed;
}

std::string with_all_letters(std::string format, const std::function<bool(char)>& is_letter) {
    if (!iequals(format, "%all")) return format;
    format.clear();
    for (const char letter :
         std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
        if (is_letter(letter)) format += (format.empty() ? "%" : "|%") + std::string(1, letter);
    }
    return format;
}

PercentFormat parse_long_format(std::string_view format) {
    PercentFormat parsed;
    for (const auto word : split(format, ',')) {
        if (word.empty()) continue;
        FormatItem item;
        const std::size_t colon = word.find(':');
        item.name = to_lower(word.substr(0, colon));
        item.width = kLongWidth;
        if (colon != std::string_view::npos) {
            std::size_t at = colon + 1;
            if (at < word.size() && word[at] == '.') item.right = true, ++at;
            item.width = read_width(word, at);
            item.suffix = word.substr(at);
        }
        parsed.items.push_back(std::move(item));
    }
    return parsed;
}

std::string cell(std::string_view text, std::optional<std::size_t> width, bool right, bool cut) {
    if (!width) return std::string(text);
    return pad(cut ? text.substr(0, *width) : text, *width, right);
}

std::string cell_with_plus(std::string_view text, std::size_t width, bool right) {
    if (text.size() <= width) return pad(text, width, right);
    return std::string(text.substr(0, width - 1)) + "+";
}

}  // namespace berth::slurm
