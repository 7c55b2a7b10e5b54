#include "berth/base/text.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Text, SplitsAtEverySeparator) {
    EXPECT_EQ(split("a,,b", ','), (Parts{"a", "", "b"}));
    EXPECT_EQ(split("a,", ','), (Parts{"a", ""}));
    EXPECT_EQ(split("", ','), (Parts{""}));
}

TEST(Text, TrimsBothEnds) {
    EXPECT_EQ(trim(" \t a b \r\n"), "a b");
    EXPECT_EQ(trim("   "), "");
    EXPECT_EQ(trim(""), "");
}

TEST(Text, ComparesWithoutCase) {
    EXPECT_EQ(to_lower("NodeName=GPU1"), "nodename=gpu1");
    EXPECT_TRUE(iequals("NodeName", "NODENAME"));
    EXPECT_FALSE(iequals("NodeName", "NodeNames"));
    EXPECT_TRUE(starts_with_icase("NodeName=a", "nodename="));
    EXPECT_FALSE(starts_with_icase("Node", "nodename"));
}

TEST(Text, ReadsWholeNumbersWhole) {
    EXPECT_EQ(parse_int64("-9223372036854775808").value(), INT64_MIN);
    EXPECT_EQ(parse_int64("007").value(), 7);
    for (const char* text : {"", " 1", "1 ", "+1", "1k", "0x1", "1.0", "--1"}) {
        EXPECT_FALSE(parse_int64(text).ok()) << text;
    }
    EXPECT_NE(parse_int64("9223372036854775808").error().message.find("too large"),
              std::string::npos);
}

TEST(Text, JoinsWhatItSplit) {
    EXPECT_EQ(join(split("a,,b", ','), ","), "a,,b");
    const std::vector<std::string> parts = {"a", "b"};
    EXPECT_EQ(join(parts, ", "), "a, b");
    EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
}

template <class Text>
concept CanSplit = requires(Text text) { split(static_cast<Text>(text), ','); };
static_assert(CanSplit<std::string_view> && CanSplit<std::string&> && CanSplit<const char*>);
static_assert(!CanSplit<std::string&&> && !CanSplit<const std::string&&>);

}  // namespace
}  // namespace berth
