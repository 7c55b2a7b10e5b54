// JsonValue: a JSON text as a tree, members in the order of the text. For parts of the API whose
// shape is not known; messages go straight into their structs (json.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "berth/base/result.h"

namespace berth::api {

struct JsonValue;
struct JsonMember;
using JsonArray = std::vector<JsonValue>;
using JsonObject = std::vector<JsonMember>;

// A number that is not a whole one within 64 bits, as written. No field of the API takes one.
struct OtherNumber {
    std::string text;
    friend bool operator==(const OtherNumber&, const OtherNumber&) = default;
};

// Whole numbers are int64, and uint64 only where they are beyond that.
struct JsonValue {
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, OtherNumber, std::string,
                 JsonArray, JsonObject>
        value;

    template <class T>
    const T* as() const {
        return std::get_if<T>(&value);
    }
    template <class T>
    T* as() {
        return std::get_if<T>(&value);
    }
    bool is_null() const { return value.index() == 0; }
    // A member of an object; nullptr where this is no object or has none of that name.
    const JsonValue* find(std::string_view name) const;
    friend bool operator==(const JsonValue&, const JsonValue&);
};

// Not a std::pair: clang cannot make one of a type that holds itself.
struct JsonMember {
    std::string name;
    JsonValue value;
    friend bool operator==(const JsonMember&, const JsonMember&);
};

// "null", "a string", "a list" …: for messages about a value of the wrong kind.
std::string_view kind_of(const JsonValue& value);

struct JsonLimits {
    std::size_t depth = 32;
    std::size_t values = 1'000'000;  // Of the whole text, so that a small text takes no big tree.
};

// One whole text. The error says at which byte it went wrong.
//
// A byte that is not UTF-8 travels as the escape of a lone surrogate, \udc80 to \udcff, both ways:
// what Python calls surrogateescape. So scripts, environments and paths come through unchanged.
Result<JsonValue> parse_json(std::string_view text, const JsonLimits& limits = {});

// Where the next part of a text comes from: fills the buffer and returns how much, 0 at the end.
class JsonSource {
public:
    virtual ~JsonSource() = default;
    virtual std::size_t read(char* buffer, std::size_t size) = 0;
};
class JsonListSink {
public:
    virtual ~JsonListSink() = default;
    // An error ends the reading and is what read_json_list() returns.
    virtual Status element(JsonValue&& element) = 0;
};

// Reads an object whose member `list` is a long array: each element is handed over when it is
// complete, and never held. Returns the object without that member. The limit on values is that of
// one element.
Result<JsonValue> read_json_list(JsonSource& source, std::string_view list, JsonListSink& sink,
                                 const JsonLimits& limits = {});

}  // namespace berth::api
