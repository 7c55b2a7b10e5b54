#include "berth/workload/table.h"

#include <gtest/gtest.h>

namespace berth::workload {
namespace {

TEST(Table, FindsColumnsByNameAndCountsLines) {
    Table table(
        "\xEF\xBB\xBF"
        "b, a\r\n\n1,2\r\n\n3, 4 ,5\n6",
        ',');
    EXPECT_TRUE(table.has("a"));
    ASSERT_TRUE(table.next());
    EXPECT_EQ(table.line(), 3U);
    EXPECT_EQ(table.field("a"), "2");
    EXPECT_EQ(table.field("b"), "1");
    EXPECT_TRUE(table.is_whole());
    ASSERT_TRUE(table.next());
    EXPECT_EQ(table.field("a"), "4");
    EXPECT_FALSE(table.is_whole());
    ASSERT_TRUE(table.next());
    EXPECT_EQ(table.line(), 6U);
    EXPECT_EQ(table.field("a"), "");
    EXPECT_FALSE(table.next());
    EXPECT_FALSE(table.next());
}

TEST(Table, ReadsQuotedFields) {
    Table table("a,b\n\"x, \"\"y\"\"\",2\n", ',');
    ASSERT_TRUE(table.next());
    EXPECT_EQ(table.field("a"), "x, \"y\"");
    EXPECT_EQ(table.field("b"), "2");
}

TEST(Table, NamesTheColumnsThatAreMissing) {
    const std::string_view wanted[] = {"a", "c", "d"};
    EXPECT_EQ(Table("a,b\n", ',').require(wanted).error().message,
              "the header should name c, d too; it has a, b");
    EXPECT_EQ(Table("", ',').require(wanted).error().message,
              "the header should name a, c, d too; it has nothing");
    EXPECT_TRUE(Table("d|c|a", '|').require(wanted).ok());
}

}  // namespace
}  // namespace berth::workload
