#include "berth/api/json_fields.h"

namespace berth::api {

std::string JsonDecoder::shown(const JsonValue& value) {
    constexpr std::size_t kMost = 40;
    if (value.as<JsonArray>() != nullptr || value.as<JsonObject>() != nullptr || value.is_null())
        return std::string(kind_of(value));
    std::string text = to_text(value);
    if (text.size() > kMost) text = text.substr(0, kMost) + "…";
    return text;
}

}  // namespace berth::api
