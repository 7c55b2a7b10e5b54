// JsonWriter: appends JSON to a string, piece by piece, without a tree in between.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "berth/api/json_value.h"

namespace berth::api {

// The text may be taken out of `out` and sent at any moment; the writer goes on behind it.
class JsonWriter {
public:
    explicit JsonWriter(std::string& out);
    ~JsonWriter();
    JsonWriter(const JsonWriter&) = delete;
    JsonWriter& operator=(const JsonWriter&) = delete;

    void begin_object();
    void end_object();
    void begin_array();
    void end_array();
    void key(std::string_view name);
    void text(std::string_view text);  // Bytes that are not UTF-8 are escaped: see parse_json().
    void number(std::int64_t number);
    void number(std::uint64_t number);
    // "0.25": a number as its digits tell it. REQUIRES: it is one in JSON.
    void decimal(std::string_view digits);
    void boolean(bool truth);
    void null();
    void value(const JsonValue& value);

private:
    struct Library;
    std::unique_ptr<Library> library_;
};

// The whole tree as text; the inverse of parse_json().
std::string to_text(const JsonValue& value);

}  // namespace berth::api
