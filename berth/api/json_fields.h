// Structs with BERTH_FIELDS to JSON and back. Included only where the templates of json.h are made.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/api/enum_names.h"
#include "berth/api/field_choice.h"
#include "berth/api/json_value.h"
#include "berth/api/json_writer.h"
#include "berth/base/codec.h"
#include "berth/base/plain.h"
#include "berth/base/text.h"

namespace berth::api {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <HasPlain T>
inline constexpr bool kIsOptional<T> = kIsOptional<typename T::Plain>;

class JsonEncoder {
public:
    JsonEncoder(JsonWriter& writer, const FieldChoice& choice) : writer_(writer), choice_(choice) {}

    template <HasFields T>
    void put(const T& value) {
        writer_.begin_object();
        T::fields(value, *this);
        writer_.end_object();
    }
    template <class T>
    void operator()(const char* name, const T& value) {
        const std::size_t index = index_++;
        if (!choice_.wants(index)) return;
        if constexpr (kIsOptional<T>) {
            if (!value.has_value()) return;
        }
        writer_.key(name);
        JsonEncoder(writer_, choice_.within(index)).put(value);
    }

    void put(bool truth) { writer_.boolean(truth); }
    void put(std::signed_integral auto number) { writer_.number(std::int64_t{number}); }
    void put(std::unsigned_integral auto number) { writer_.number(std::uint64_t{number}); }
    void put(const std::string& text) { writer_.text(text); }
    template <class T>
        requires std::is_enum_v<T>
    void put(T value) {
        writer_.text(enum_name(value));
    }
    template <class Tag, class Rep>
    void put(StrongId<Tag, Rep> id) {
        put(id.value());
    }
    template <class Unit>
    void put(Quantity<Unit> amount) {
        put(amount.count());
    }
    void put(Duration length) { put(seconds(length)); }
    void put(Time at) { put(seconds(at)); }
    template <class T>
    void put(const std::optional<T>& present) {
        put(*present);
    }
    template <HasPlain T>
    void put(const T& held) {
        put(held.plain());
    }
    template <class A, class B>
    void put(const std::pair<A, B>& both) {
        writer_.begin_array();
        put(both.first);
        put(both.second);
        writer_.end_array();
    }
    template <class T>
    void put(const std::vector<T>& items) {
        writer_.begin_array();
        for (const T& item : items) put(item);
        writer_.end_array();
    }

private:
    JsonWriter& writer_;
    const FieldChoice& choice_;
    std::size_t index_ = 0;
};

// Where in a message we are: "spec.request.gpus[2].count".
struct JsonPath {
    const JsonPath* parent = nullptr;
    std::string_view name;
    std::size_t index = 0;  // Counts where the name is empty.

    std::string text() const {
        std::string before = parent == nullptr ? std::string() : parent->text();
        if (parent == nullptr) return before;
        if (name.empty()) return before + "[" + std::to_string(index) + "]";
        if (!before.empty()) before += '.';
        return before.append(name);
    }
};

// Reads one message, and takes its texts out of the tree. After the first thing that is wrong
// nothing more is read.
class JsonDecoder {
public:
    explicit JsonDecoder(UnknownFields unknown) : unknown_(unknown) {}

    template <class T>
    Result<T> read(JsonValue& value) {
        T out{};
        const JsonPath root;
        get(value, out, root);
        if (error_) return *std::move(error_);
        return out;
    }

private:
    // Looks each field up among the members. Ours come in the order of the fields: the search
    // begins where the last one was found. A row has many fields of which few may have been asked
    // for: most that are not there are known by `names` not to be.
    struct Fields {
        Fields(JsonDecoder& decodes, JsonObject& given, const JsonPath& where)
            : decoder(decodes), members(given), path(where), known(given.size()) {
            for (const JsonMember& member : given) names |= mark_of(member.name);
        }
        static std::uint64_t mark_of(std::string_view name) {
            if (name.empty()) return 1;
            const auto letter = [&](std::size_t at) {
                return static_cast<unsigned char>(name[at]);
            };
            return std::uint64_t{1}
                   << ((name.size() * 5 + letter(0) * 3u + letter(name.size() - 1)) % 64);
        }
        JsonDecoder& decoder;
        JsonObject& members;
        const JsonPath& path;
        std::vector<bool> known;
        std::uint64_t names = 0;  // The marks of the members' names.
        std::size_t next = 0;

        template <class T>
        void operator()(const char* name, T& out) {
            const std::string_view wanted = name;
            if ((names & mark_of(wanted)) == 0) return;
            for (std::size_t n = 0; n < members.size() && !decoder.error_; ++n) {
                const std::size_t at =
                    next + n < members.size() ? next + n : next + n - members.size();
                if (members[at].name != wanted) continue;
                known[at] = true;
                next = at + 1 == members.size() ? 0 : at + 1;
                decoder.get(members[at].value, out, JsonPath{&path, wanted});
                return;
            }
        }
    };

    template <HasFields T>
    void get(JsonValue& value, T& out, const JsonPath& path) {
        JsonObject* const members = value.as<JsonObject>();
        if (members == nullptr) return wrong(path, "an object", value);
        Fields fields(*this, *members, path);
        T::fields(out, fields);
        refuse_unknown(fields);
    }
    void get(JsonValue& value, bool& out, const JsonPath& path) {
        const bool* const truth = value.as<bool>();
        if (truth == nullptr) return wrong(path, "true or false", value);
        out = *truth;
    }
    template <std::integral T>
    void get(JsonValue& value, T& out, const JsonPath& path) {
        if (const auto* const number = value.as<std::int64_t>();
            number && std::in_range<T>(*number)) {
            out = static_cast<T>(*number);
        } else if (const auto* const large = value.as<std::uint64_t>();
                   large && std::in_range<T>(*large)) {
            out = static_cast<T>(*large);
        } else {
            wrong(path,
                  "a whole number from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
                      std::to_string(std::numeric_limits<T>::max()),
                  value);
        }
    }
    void get(JsonValue& value, std::string& out, const JsonPath& path) {
        std::string* const text = value.as<std::string>();
        if (text == nullptr) return wrong(path, "a string", value);
        out = std::move(*text);
    }
    template <class T>
        requires std::is_enum_v<T>
    void get(JsonValue& value, T& out, const JsonPath& path) {
        const std::string* const name = value.as<std::string>();
        const std::optional<T> found = name ? enum_of<T>(*name) : std::nullopt;
        if (!found) return wrong(path, "one of " + join(enum_names<T>(), ", "), value);
        out = *found;
    }
    template <class Tag, class Rep>
    void get(JsonValue& value, StrongId<Tag, Rep>& out, const JsonPath& path) {
        Rep number{};
        get(value, number, path);
        out = StrongId<Tag, Rep>(number);
    }
    template <class Unit>
    void get(JsonValue& value, Quantity<Unit>& out, const JsonPath& path) {
        std::int64_t count = 0;
        get(value, count, path);
        out = Quantity<Unit>(count);
    }
    void get(JsonValue& value, Duration& out, const JsonPath& path) {
        constexpr std::int64_t kMost = seconds(Duration::max());
        std::int64_t length = 0;
        get(value, length, path);
        if (length < -kMost || length > kMost) return wrong(path, "a number of seconds", value);
        // Without an end: what is written of it, in whole seconds, is read as it was.
        out = length == kMost ? Duration::max() : Duration(std::chrono::seconds(length));
    }
    void get(JsonValue& value, Time& out, const JsonPath& path) {
        Duration since{};
        get(value, since, path);
        out = Time(since);
    }
    template <class T>
    void get(JsonValue& value, std::optional<T>& out, const JsonPath& path) {
        if (!value.is_null()) get(value, out.emplace(), path);
    }
    template <HasPlain T>
    void get(JsonValue& value, T& out, const JsonPath& path) {
        typename T::Plain held{};
        get(value, held, path);
        out = T(std::move(held));
    }
    template <class A, class B>
    void get(JsonValue& value, std::pair<A, B>& out, const JsonPath& path) {
        JsonArray* const both = value.as<JsonArray>();
        if (both == nullptr || both->size() != 2) return wrong(path, "a list of two", value);
        get((*both)[0], out.first, JsonPath{&path, {}, 0});
        get((*both)[1], out.second, JsonPath{&path, {}, 1});
    }
    template <class T>
    void get(JsonValue& value, std::vector<T>& out, const JsonPath& path) {
        JsonArray* const items = value.as<JsonArray>();
        if (items == nullptr) return wrong(path, "a list", value);
        out.reserve(items->size());
        for (std::size_t i = 0; i < items->size() && !error_; ++i) {
            get((*items)[i], out.emplace_back(), JsonPath{&path, {}, i});
        }
    }

    void fail(std::string message) {
        if (!error_) error_ = Error{ErrorCode::invalid_argument, std::move(message)};
    }
    void wrong(const JsonPath& path, std::string_view right, const JsonValue& value) {
        const std::string at = path.text();
        fail((at.empty() ? std::string("the body") : at) + " must be " + std::string(right) +
             ", not " + shown(value));
    }
    static std::string shown(const JsonValue& value);
    void refuse_unknown(const Fields& fields) {
        if (unknown_ == UnknownFields::passed_over) return;
        for (std::size_t i = 0; i < fields.known.size() && !error_; ++i) {
            if (fields.known[i]) continue;
            const std::string& name = fields.members[i].name;
            bool again = false;
            for (std::size_t j = 0; j < i; ++j) again |= fields.members[j].name == name;
            fail(JsonPath{&fields.path, name}.text() +
                 (again ? " is given twice" : " is not a field"));
        }
    }

    UnknownFields unknown_;
    std::optional<Error> error_;
};

}  // namespace berth::api
