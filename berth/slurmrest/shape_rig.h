// For tests of shapes: what is written, read back, and looked into by paths.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "berth/api/json_value.h"
#include "berth/slurmrest/shape_writer.h"

namespace berth::slurmrest {

using api::JsonValue;

template <class Put>
JsonValue written(Put put) {
    std::string out;
    ShapeWriter json(out);
    put(json);
    Result<JsonValue> value = api::parse_json(out);
    EXPECT_TRUE(value.ok()) << value.error().message << "\n" << out;
    return value.ok() ? std::move(value).value() : JsonValue{};
}

// "12", "true", "RUNNING"; lists as "[x,y]"; of an object that it is one.
inline std::string text_of(const JsonValue& value) {
    if (const auto* text = value.as<std::string>()) return *text;
    if (const auto* number = value.as<std::int64_t>()) return std::to_string(*number);
    if (const auto* number = value.as<api::OtherNumber>()) return number->text;
    if (const auto* truth = value.as<bool>()) return *truth ? "true" : "false";
    const auto* list = value.as<api::JsonArray>();
    if (list == nullptr) return value.is_null() ? "null" : "{}";
    std::string all;
    for (const JsonValue& one : *list) all += (all.empty() ? "" : ",") + text_of(one);
    return "[" + all + "]";
}

// "a.0.b": members of objects and places in lists; "(none)" where there is no such thing.
inline std::string at(const JsonValue& value, std::string_view path) {
    const JsonValue* here = &value;
    while (here != nullptr && !path.empty()) {
        const std::size_t dot = path.find('.');
        const std::string step(path.substr(0, dot));
        if (const auto* const list = here->as<api::JsonArray>()) {
            const auto place = static_cast<std::size_t>(std::stoul(step));
            here = place < list->size() ? &(*list)[place] : nullptr;
        } else {
            here = here->find(step);
        }
        path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
    }
    return here == nullptr ? "(none)" : text_of(*here);
}

}  // namespace berth::slurmrest
