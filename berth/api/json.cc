#include "berth/api/json.h"

#include <algorithm>

#include "berth/api/json_fields.h"
#include "berth/base/text.h"

namespace berth::api {
namespace {

struct FieldNames {
    std::vector<std::string_view> names;
    template <class T>
    void operator()(const char* name, T&) {
        names.emplace_back(name);
    }
};

template <class T>
std::vector<std::string_view> field_names() {
    FieldNames list;
    const T none{};
    T::fields(none, list);
    return list.names;
}

}  // namespace

std::string JsonDecoder::shown(const JsonValue& value) {
    constexpr std::size_t kMost = 40;
    if (value.as<JsonArray>() != nullptr || value.as<JsonObject>() != nullptr || value.is_null())
        return std::string(kind_of(value));
    std::string text = to_text(value);
    if (text.size() > kMost) text = text.substr(0, kMost) + "…";
    return text;
}

template <class T>
Result<FieldChoice> FieldChoice::of(const std::vector<std::string>& names) {
    FieldChoice choice;
    if (names.empty()) return choice;
    const std::vector<std::string_view> known = field_names<T>();
    choice.wanted_.resize(known.size());
    for (const std::string& name : names) {
        const auto at = std::find(known.begin(), known.end(), name);
        if (at == known.end()) {
            return Error{ErrorCode::invalid_argument,
                         name + " is not a field; there are " + join(known, ", ")};
        }
        choice.wanted_[static_cast<std::size_t>(at - known.begin())] = true;
    }
    return choice;
}

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

#define BERTH_API_DEFINE(T)                                                           \
    template Result<FieldChoice> FieldChoice::of<T>(const std::vector<std::string>&); \
    template void write_json<T>(JsonWriter&, const T&, const FieldChoice&);           \
    template std::string to_json<T>(const T&);                                        \
    template Result<T> from_json<T>(JsonValue&&, UnknownFields);                      \
    template Result<T> from_json<T>(std::string_view, UnknownFields, const JsonLimits&);
BERTH_API_MESSAGES(BERTH_API_DEFINE)

}  // namespace berth::api
