// The JSON of every message (messages.h), made from the one list of fields of each struct.
//
// Ids are numbers; times are whole seconds since 1970, durations whole seconds (rounded down);
// memory is in bytes; what is absent is left out, and null is read as absent; enums are their
// lower-case names, reasons Slurm's; a list of pairs is a list of lists of two. A byte that is not
// UTF-8 is the escape \udc80 … \udcff (see json_value.h). Reading is strict: a field that does not
// exist, a wrong type, a number out of range is an error that names its path; a field left out
// keeps its default.
#pragma once

#include <string>
#include <string_view>

#include "berth/api/all_messages.h"
#include "berth/api/field_choice.h"
#include "berth/api/json_value.h"
#include "berth/api/json_writer.h"
#include "berth/base/result.h"

namespace berth::api {

template <class T>
void write_json(JsonWriter& writer, const T& message, const FieldChoice& choice = {});
template <class T>
std::string to_json(const T& message);

template <class T>
Result<T> from_json(JsonValue&& value, UnknownFields unknown = UnknownFields::refused);
template <class T>
Result<T> from_json(std::string_view text, UnknownFields unknown = UnknownFields::refused,
                    const JsonLimits& limits = {});

// All the templates above exist for every message (all_messages.h), and for no other type.
#define BERTH_API_DECLARE(T)                                                       \
    extern template void write_json<T>(JsonWriter&, const T&, const FieldChoice&); \
    extern template std::string to_json<T>(const T&);                              \
    extern template Result<T> from_json<T>(JsonValue&&, UnknownFields);            \
    extern template Result<T> from_json<T>(std::string_view, UnknownFields, const JsonLimits&);
BERTH_API_MESSAGES(BERTH_API_DECLARE)
#undef BERTH_API_DECLARE

}  // namespace berth::api
