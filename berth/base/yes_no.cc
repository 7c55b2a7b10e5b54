#include "berth/base/yes_no.h"

#include "berth/base/text.h"

namespace berth {

std::optional<bool> parse_yes_no(std::string_view text) {
    for (const char* yes : {"yes", "true", "up", "1", "y"}) {
        if (iequals(text, yes)) return true;
    }
    for (const char* no : {"no", "false", "down", "0", "n"}) {
        if (iequals(text, no)) return false;
    }
    return std::nullopt;
}

}  // namespace berth
