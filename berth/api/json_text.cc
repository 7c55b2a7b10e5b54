// JSON as text: the one file that knows the JSON library. Parsing into JsonValue, and JsonWriter.
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "berth/api/json_value.h"
#include "berth/api/json_writer.h"
#include "berth/api/utf8.h"

namespace berth::api {
namespace {

constexpr unsigned kParseFlags = rapidjson::kParseIterativeFlag |
                                 rapidjson::kParseNumbersAsStringsFlag |
                                 rapidjson::kParseValidateEncodingFlag;

void set_number(JsonValue& value, std::string_view text) {
    const char* const end = text.data() + text.size();
    std::int64_t number = 0;
    std::uint64_t large = 0;
    if (auto [at, bad] = std::from_chars(text.data(), end, number);
        bad == std::errc{} && at == end) {
        value.value = number;
    } else if (auto [past, worse] = std::from_chars(text.data(), end, large);
               worse == std::errc{} && past == end) {
        value.value = large;
    } else {
        value.value = OtherNumber{std::string(text)};
    }
}

// Builds the tree from the parser's events, each value in its place at once. With a list to stream,
// the elements of the root's member of that name go to the sink instead.
class TreeBuilder {
public:
    explicit TreeBuilder(const JsonLimits& limits) : limits_(limits) {}
    TreeBuilder(const JsonLimits& limits, std::string_view list, JsonListSink& sink)
        : limits_(limits), list_(list), sink_(&sink) {}

    // NOLINTBEGIN(readability-identifier-naming): the names are RapidJSON's.
    bool Null() {
        return put([](JsonValue&) {});
    }
    bool Bool(bool truth) {
        return put([&](JsonValue& at) { at.value = truth; });
    }
    bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
        return put([&](JsonValue& at) { set_number(at, {text, size}); });
    }
    bool String(const char* text, rapidjson::SizeType size, bool) {
        bool is_text = true;
        return put([&](JsonValue& at) {
                   is_text = unescape_bytes({text, size}, at.value.emplace<std::string>());
               }) &&
               (is_text || stop(kLoneSurrogate));
    }
    bool Key(const char* text, rapidjson::SizeType size, bool) {
        JsonMember& member = open_.back()->as<JsonObject>()->emplace_back();
        return unescape_bytes({text, size}, member.name) || stop(kLoneSurrogate);
    }
    bool StartObject() { return open<JsonObject>(); }
    bool EndObject(rapidjson::SizeType size) {
        last_size_ = size;
        return close();
    }
    bool StartArray() { return open<JsonArray>(); }
    bool EndArray(rapidjson::SizeType) { return close(); }
    // The library's interface has these too; with numbers as text they are never called.
    bool Int(int) { return false; }
    bool Uint(unsigned) { return false; }
    bool Int64(std::int64_t) { return false; }
    bool Uint64(std::uint64_t) { return false; }
    bool Double(double) { return false; }
    // NOLINTEND(readability-identifier-naming)

    Error error(std::size_t offset, const char* otherwise) const {
        if (failure_) return *failure_;
        const std::string_view why = stopped_.empty() ? std::string_view(otherwise) : stopped_;
        return {ErrorCode::invalid_argument,
                "not valid JSON at byte " + std::to_string(offset) + ": " + std::string(why)};
    }
    JsonValue take() { return std::move(root_); }

private:
    static constexpr std::string_view kLoneSurrogate = "a lone surrogate that stands for no byte";
    static constexpr std::size_t kMostReserved = 64;

    bool stop(std::string_view why) {
        stopped_ = why;
        return false;
    }
    bool in_list() const { return is_list_open_ && open_.size() == 2; }
    // Where the next value belongs. What is open does not move: it is the last of what holds it.
    JsonValue& place() {
        if (open_.empty()) return root_;
        if (in_list()) return element_ = {};
        if (auto* const array = open_.back()->as<JsonArray>()) return array->emplace_back();
        return open_.back()->as<JsonObject>()->back().value;
    }
    bool count() { return ++values_ <= limits_.values || stop("too many values"); }
    template <class Set>
    bool put(Set set) {
        if (!count()) return false;
        set(place());
        return !in_list() || hand_over();
    }
    template <class List>
    bool open() {
        if (open_.size() == limits_.depth) return stop("nested too deeply");
        if (!count()) return false;
        JsonValue& at = place();
        List& list = at.value.emplace<List>();
        // The rows of a list are alike. What a stranger sends gets no more than it needs.
        if (sink_ != nullptr && std::is_same_v<List, JsonObject>)
            list.reserve(std::min(last_size_, kMostReserved));
        if (sink_ != nullptr && std::is_same_v<List, JsonArray> && open_.size() == 1 &&
            open_[0]->as<JsonObject>() != nullptr)
            is_list_open_ = open_[0]->as<JsonObject>()->back().name == list_;
        open_.push_back(&at);
        return true;
    }
    bool close() {
        open_.pop_back();
        if (open_.size() == 1) is_list_open_ = false;
        return !in_list() || hand_over();
    }
    bool hand_over() {
        values_ = 0;
        if (Status taken = sink_->element(std::move(element_)); !taken.ok()) {
            failure_ = std::move(taken).error();
            return false;
        }
        return true;
    }

    JsonLimits limits_;
    std::string_view list_;
    JsonListSink* sink_ = nullptr;
    std::vector<JsonValue*> open_;
    bool is_list_open_ = false;
    JsonValue root_, element_;
    std::size_t values_ = 0, last_size_ = 0;
    std::string_view stopped_;
    std::optional<Error> failure_;
};

// The library's idea of an input stream, over a JsonSource.
class SourceStream {
public:
    using Ch = char;
    explicit SourceStream(JsonSource& source) : source_(source), buffer_(64 * 1024) { fill(); }
    // NOLINTBEGIN(readability-identifier-naming): the names are RapidJSON's.
    Ch Peek() const { return at_ < filled_ ? buffer_[at_] : '\0'; }
    Ch Take() {
        if (at_ == filled_) return '\0';
        const Ch taken = buffer_[at_++];
        if (at_ == filled_) fill();
        return taken;
    }
    std::size_t Tell() const { return before_ + at_; }
    // Only writing streams need these.
    Ch* PutBegin() { return nullptr; }
    void Put(Ch) {}
    void Flush() {}
    std::size_t PutEnd(Ch*) { return 0; }
    // NOLINTEND(readability-identifier-naming)

private:
    void fill() {
        before_ += filled_;
        at_ = 0;
        filled_ = source_.read(buffer_.data(), buffer_.size());
    }
    JsonSource& source_;
    std::vector<char> buffer_;
    std::size_t at_ = 0, filled_ = 0, before_ = 0;
};

template <class Stream>
Result<JsonValue> parse(Stream& stream, TreeBuilder& builder) {
    rapidjson::Reader reader;
    const rapidjson::ParseResult result = reader.Parse<kParseFlags>(stream, builder);
    if (result.IsError())
        return builder.error(result.Offset(), rapidjson::GetParseError_En(result.Code()));
    return builder.take();
}

}  // namespace

// Written out: clang 19 crashes on defaults that need each other.
bool operator==(const JsonValue& a, const JsonValue& b) { return a.value == b.value; }
bool operator==(const JsonMember& a, const JsonMember& b) {
    return a.name == b.name && a.value == b.value;
}

const JsonValue* JsonValue::find(std::string_view name) const {
    const auto* const object = as<JsonObject>();
    if (object == nullptr) return nullptr;
    for (const auto& [key, member] : *object) {
        if (key == name) return &member;
    }
    return nullptr;
}

std::string_view kind_of(const JsonValue& value) {
    static constexpr std::array<std::string_view, 8> kKinds = {
        "null",     "true or false", "a number", "a number",
        "a number", "a string",      "a list",   "an object"};
    return kKinds[value.value.index()];
}

Result<JsonValue> parse_json(std::string_view text, const JsonLimits& limits) {
    // The library takes a zero byte for the end of the text.
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
        return Error{ErrorCode::invalid_argument,
                     "not valid JSON at byte " + std::to_string(zero) + ": a zero byte"};
    }
    rapidjson::MemoryStream stream(text.data(), text.size());
    TreeBuilder builder(limits);
    return parse(stream, builder);
}

Result<JsonValue> read_json_list(JsonSource& source, std::string_view list, JsonListSink& sink,
                                 const JsonLimits& limits) {
    SourceStream stream(source);
    TreeBuilder builder(limits, list, sink);
    BERTH_TRY(JsonValue rest, parse(stream, builder));
    const JsonValue* const emptied = rest.find(list);
    if (emptied == nullptr || emptied->as<JsonArray>() == nullptr)
        return Error{ErrorCode::invalid_argument, "there is no list " + std::string(list)};
    std::erase_if(*std::get_if<JsonObject>(&rest.value),
                  [&](const JsonMember& member) { return member.name == list; });
    return rest;
}

namespace {

// The library's idea of an output stream, over a string.
struct StringSink {
    using Ch = char;
    std::string* out;
    // NOLINTBEGIN(readability-identifier-naming): the names are RapidJSON's.
    void Put(Ch letter) { out->push_back(letter); }
    void Flush() {}
    // NOLINTEND(readability-identifier-naming)
};

}  // namespace

struct JsonWriter::Library {
    StringSink sink;
    rapidjson::Writer<StringSink> writer;
    explicit Library(std::string& out) : sink{&out}, writer(sink) {}
};

JsonWriter::JsonWriter(std::string& out) : library_(std::make_unique<Library>(out)) {}
JsonWriter::~JsonWriter() = default;
void JsonWriter::begin_object() { library_->writer.StartObject(); }
void JsonWriter::end_object() { library_->writer.EndObject(); }
void JsonWriter::begin_array() { library_->writer.StartArray(); }
void JsonWriter::end_array() { library_->writer.EndArray(); }
void JsonWriter::number(std::int64_t number) { library_->writer.Int64(number); }
void JsonWriter::number(std::uint64_t number) { library_->writer.Uint64(number); }
void JsonWriter::decimal(std::string_view digits) {
    library_->writer.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
}
void JsonWriter::boolean(bool truth) { library_->writer.Bool(truth); }
void JsonWriter::null() { library_->writer.Null(); }

void JsonWriter::key(std::string_view name) {
    library_->writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
}

void JsonWriter::text(std::string_view text) {
    if (is_utf8(text)) {
        library_->writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
        return;
    }
    const std::string quoted = quote_bytes(text);
    library_->writer.RawValue(quoted.data(), quoted.size(), rapidjson::kStringType);
}

void JsonWriter::value(const JsonValue& value) {
    struct Put {
        JsonWriter& writer;
        void operator()(std::monostate) { writer.null(); }
        void operator()(bool truth) { writer.boolean(truth); }
        void operator()(std::int64_t number) { writer.number(number); }
        void operator()(std::uint64_t number) { writer.number(number); }
        void operator()(const std::string& text) { writer.text(text); }
        void operator()(const OtherNumber& number) {
            writer.library_->writer.RawValue(number.text.data(), number.text.size(),
                                             rapidjson::kNumberType);
        }
        void operator()(const JsonArray& items) {
            writer.begin_array();
            for (const JsonValue& item : items) writer.value(item);
            writer.end_array();
        }
        void operator()(const JsonObject& members) {
            writer.begin_object();
            for (const auto& [name, member] : members) {
                writer.key(name);
                writer.value(member);
            }
            writer.end_object();
        }
    };
    std::visit(Put{*this}, value.value);
}

std::string to_text(const JsonValue& value) {
    std::string text;
    JsonWriter(text).value(value);
    return text;
}

}  // namespace berth::api
