#include "berth/api/json_value.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "berth/api/json_writer.h"

namespace berth::api {
namespace {

class Collected : public JsonListSink {
public:
    Status element(JsonValue&& element) override {
        if (texts.size() == stop_after) return Error{ErrorCode::internal, "enough"};
        texts.push_back(to_text(element));
        return Done{};
    }
    std::vector<std::string> texts;
    std::size_t stop_after = 1'000'000;
};

// Hands the text out in parts of a few bytes.
class Dripping : public JsonSource {
public:
    Dripping(std::string_view text, std::size_t part) : rest_(text), part_(part) {}
    std::size_t read(char* buffer, std::size_t size) override {
        const std::size_t n = rest_.copy(buffer, std::min(size, part_));
        rest_.remove_prefix(n);
        return n;
    }

private:
    std::string_view rest_;
    std::size_t part_;
};

TEST(JsonValue, ReadsAndWritesEveryKind) {
    const char* const text = R"({"a":[null,true,false,-9223372036854775808,18446744073709551615,)"
                             R"(1.50,"x\ny"],"b":{"c":[]},"d":{}})";
    const Result<JsonValue> value = parse_json(text);
    ASSERT_TRUE(value.ok()) << value.error().message;
    EXPECT_EQ(to_text(*value), text);
    EXPECT_NE(value->find("b")->find("c"), nullptr);
    EXPECT_EQ(value->find("e"), nullptr);
}

TEST(JsonValue, HasLimits) {
    const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
    EXPECT_TRUE(parse_json(nested(32)).ok());
    EXPECT_FALSE(parse_json(nested(33)).ok());
    EXPECT_FALSE(parse_json(std::string(5'000'000, '[')).ok());
    EXPECT_TRUE(parse_json("[1,2,3]", {.values = 4}).ok());
    EXPECT_FALSE(parse_json("[1,2,3]", {.values = 3}).ok());
    EXPECT_FALSE(parse_json(std::string_view("{}\0", 3)).ok());
    EXPECT_FALSE(parse_json("").ok());
}

TEST(JsonList, HandsOverEachElementWhereverTheTextIsCut) {
    const std::string text =
        R"({"sequence":12,"jobs":[{"id":1,"steps":[{"id":0}]},{"id":2},[3]],"more":{"jobs":[4]}})";
    for (std::size_t part = 1; part <= text.size(); ++part) {
        Dripping source(text, part);
        Collected sink;
        const Result<JsonValue> rest = read_json_list(source, "jobs", sink);
        ASSERT_TRUE(rest.ok()) << rest.error().message;
        EXPECT_EQ(sink.texts, (std::vector<std::string>{R"({"id":1,"steps":[{"id":0}]})",
                                                        R"({"id":2})", "[3]"}));
        EXPECT_EQ(to_text(*rest), R"({"sequence":12,"more":{"jobs":[4]}})");
    }
}

TEST(JsonList, EndsWithTheSinksErrorAndRefusesACutText) {
    Dripping source(R"({"jobs":[1,2,3]})", 5);
    Collected sink;
    sink.stop_after = 2;
    EXPECT_EQ(read_json_list(source, "jobs", sink).error().message, "enough");
    Dripping cut(R"({"jobs":[1,2,)", 5);
    Collected all;
    EXPECT_FALSE(read_json_list(cut, "jobs", all).ok());
    Dripping lists(R"([[1],[2]])", 5);
    EXPECT_FALSE(read_json_list(lists, "jobs", all).ok());
    Dripping other(R"({"nodes":[]})", 5);
    EXPECT_EQ(read_json_list(other, "jobs", all).error().message, "there is no list jobs");
}

}  // namespace
}  // namespace berth::api
