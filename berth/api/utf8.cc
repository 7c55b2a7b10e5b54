#include "berth/api/utf8.h"

#include <cstddef>

namespace berth::api {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

bool in(unsigned byte, unsigned low, unsigned high) { return low <= byte && byte <= high; }

// The length of the character at the front; 0 if there is none (RFC 3629, section 4).
std::size_t character(std::string_view text) {
    const unsigned first = byte_at(text, 0);
    const unsigned second = byte_at(text, 1);
    if (first < 0x80) return 1;
    if (in(first, 0xc2, 0xdf)) return in(second, 0x80, 0xbf) ? 2 : 0;
    const bool third = in(byte_at(text, 2), 0x80, 0xbf);
    if (in(first, 0xe0, 0xef)) {
        const unsigned low = first == 0xe0 ? 0xa0 : 0x80;
        const unsigned high = first == 0xed ? 0x9f : 0xbf;
        return in(second, low, high) && third ? 3 : 0;
    }
    if (!in(first, 0xf0, 0xf4)) return 0;
    const unsigned low = first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xf4 ? 0x8f : 0xbf;
    return in(second, low, high) && third && in(byte_at(text, 3), 0x80, 0xbf) ? 4 : 0;
}

void append_escape(std::string& out, unsigned unit) {
    static constexpr char kHex[] = "0123456789abcdef";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(unit >> shift) & 0xf];
}

}  // namespace

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = character(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string quote_bytes(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const std::size_t length = character(text);
        const unsigned first = byte_at(text, 0);
        if (length == 0) {
            append_escape(out, 0xdc00 + first);
        } else if (first < 0x20) {
            append_escape(out, first);
        } else {
            if (first == '"' || first == '\\') out += '\\';
            out += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out += '"';
    return out;
}

bool unescape_bytes(std::string_view text, std::string& out) {
    if (text.find('\xed') == std::string_view::npos) return out = text, true;
    out.clear();
    while (!text.empty()) {
        if (byte_at(text, 0) == 0xed && byte_at(text, 1) >= 0xa0) {
            const unsigned unit =
                0xd000U | ((byte_at(text, 1) & 0x3fU) << 6) | (byte_at(text, 2) & 0x3fU);
            if (!in(unit, 0xdc80, 0xdcff)) return false;
            out += static_cast<char>(unit - 0xdc00);
            text.remove_prefix(3);
            continue;
        }
        out += text.front();
        text.remove_prefix(1);
    }
    return true;
}

}  // namespace berth::api
