#include "berth/base/control_characters.h"

#include <algorithm>

namespace berth {

namespace {

bool is_control(char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7f;
}

}  // namespace

std::string with_escaped_controls(std::string_view text) {
    if (std::ranges::none_of(text, is_control)) return std::string(text);
    std::string escaped;
    for (const char letter : text) {
        if (!is_control(letter)) {
            escaped += letter;
            continue;
        }
        const auto byte = static_cast<unsigned>(static_cast<unsigned char>(letter));
        escaped += '\\';
        for (const unsigned shift : {6U, 3U, 0U})
            escaped += static_cast<char>('0' + (byte >> shift & 7U));
    }
    return escaped;
}

}  // namespace berth
