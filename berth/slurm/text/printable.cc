#include "berth/slurm/text/printable.h"

namespace berth::slurm {
namespace {

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}

// The second byte of U+0080 to U+009F, which terminals obey as well.
bool is_c1(std::string_view text, std::size_t at) {
    if (static_cast<unsigned char>(text[at]) != 0xc2 || at + 1 >= text.size()) return false;
    const auto next = static_cast<unsigned char>(text[at + 1]);
    return next >= 0x80 && next <= 0x9f;
}

// A later byte of a letter in UTF-8.
bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Whether a separator begins here: in the text alone, or in its end and the separator behind it.
bool separates(std::string_view text, std::size_t at, std::string_view separator) {
    if (separator.empty()) return false;
    const std::string_view rest = text.substr(at, separator.size());
    return separator.starts_with(rest);
}

void add_hex(std::string& text, char c) {
    static constexpr char kHex[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    text += {'\\', 'x', kHex[byte >> 4], kHex[byte & 0xf]};
}

}  // namespace

std::string printable(std::string text, std::string_view separator) {
    bool is_clean = true;
    for (std::size_t i = 0; i < text.size() && is_clean; ++i)
        is_clean = !is_control(text[i]) && !is_c1(text, i) && !separates(text, i, separator);
    if (is_clean) return text;
    std::string shown;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') {
            shown += "\\n";
        } else if (c == '\r') {
            shown += "\\r";
        } else if (c == '\t') {
            shown += "\\t";
        } else if (is_c1(text, i)) {
            add_hex(shown, text[++i]);
        } else if (separates(text, i, separator)) {
            add_hex(shown, c);
            while (i + 1 < text.size() && goes_on(text[i + 1])) add_hex(shown, text[++i]);
        } else if (is_control(c)) {
            add_hex(shown, c);
        } else {
            shown += c;
        }
    }
    return shown;
}

}  // namespace berth::slurm
