#include "berth/api/json.h"

#include "berth/api/json_fields.h"
#include "berth/model/notice.h"

namespace berth::api {

template <class T>
void write_json(JsonWriter& writer, const T& message, const FieldChoice& choice) {
    JsonEncoder(writer, choice).put(message);
}

template <class T>
std::string to_json(const T& message) {
    std::string text;
    JsonWriter writer(text);
    write_json(writer, message);
    return text;
}

template <class T>
Result<T> from_json(JsonValue&& value, UnknownFields unknown) {
    return JsonDecoder(unknown).read<T>(value);
}

template <class T>
Result<T> from_json(std::string_view text, UnknownFields unknown, const JsonLimits& limits) {
    BERTH_TRY(JsonValue value, parse_json(text, limits));
    return from_json<T>(std::move(value), unknown);
}

#define BERTH_API_DEFINE(T)                                                 \
    template void write_json<T>(JsonWriter&, const T&, const FieldChoice&); \
    template std::string to_json<T>(const T&);                              \
    template Result<T> from_json<T>(JsonValue&&, UnknownFields);            \
    template Result<T> from_json<T>(std::string_view, UnknownFields, const JsonLimits&);
BERTH_API_MESSAGES(BERTH_API_DEFINE)
#undef BERTH_API_DEFINE

// What the site's webhook is sent: it is written, and read by others.
template std::string to_json<JobNews>(const JobNews&);

}  // namespace berth::api
