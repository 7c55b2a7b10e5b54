#include "berth/slurm/columns.h"

#include <algorithm>

namespace berth::slurm {
namespace {

constexpr std::size_t kWidthMax = 4096;

std::string pad(std::string_view text, std::size_t width, bool right) {
    if (text.size() >= width) return std::string(text);
    const std::string blanks(width - text.size(), ' ');
    return right ? blanks + std::string(text) : std::string(text) + blanks;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Result<PercentFormat> parse_percent_format(std::string_view format) {
    PercentFormat parsed;
    std::size_t at = format.find('%');
    parsed.prefix = format.substr(0, at);
    while (at < format.size()) {
        ++at;  // The percent sign.
        FormatItem item;
        if (at < format.size() && format[at] == '.') item.right = true, ++at;
        std::size_t width = 0;
        const std::size_t digits_from = at;
        for (; at < format.size() && is_digit(format[at]) && width <= kWidthMax; ++at) {
            width = width * 10 + static_cast<std::size_t>(format[at] - '0');
        }
        if (at > digits_from && width > 0) item.width = std::min(width, kWidthMax);
        if (at >= format.size() || !is_letter(format[at])) {
            return Error{ErrorCode::invalid_argument, "Unrecognized option: %"};
        }
        item.letter = format[at++];
        const std::size_t next = format.find('%', at);
        item.suffix = format.substr(at, next == std::string_view::npos ? next : next - at);
        parsed.items.push_back(std::move(item));
        at = next;
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
