#include "berth/slurm/text/columns.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

TEST(Columns, ReadAPercentFormat) {
    const auto format = parse_percent_format("<%.18i|%9P %R>");
    ASSERT_TRUE(format.ok());
    EXPECT_EQ(format.value().prefix, "<");
    ASSERT_EQ(format.value().items.size(), 3U);
    EXPECT_EQ(format.value().items[0].letter, 'i');
    EXPECT_TRUE(format.value().items[0].right);
    EXPECT_EQ(format.value().items[0].width, 18U);
    EXPECT_EQ(format.value().items[0].suffix, "|");
    EXPECT_FALSE(format.value().items[2].width);
    for (const char* wrong : {"%", "%.", "%5", "%-5i", "%%"})
        EXPECT_FALSE(parse_percent_format(wrong).ok()) << wrong;
}

TEST(Columns, SayWhichLetterIsNone) {
    EXPECT_EQ(parse_percent_format("%i %-12j").error().message,
              "Invalid job format specification: -");
    EXPECT_EQ(parse_percent_format("%N %", "node").error().message,
              "Invalid node format specification: %");
}

TEST(Columns, AllMeansEveryLetter) {
    const auto some = [](char letter) { return std::string_view("zaB").find(letter) < 3; };
    EXPECT_EQ(with_all_letters("%ALL", some), "%a|%z|%B");
    EXPECT_EQ(with_all_letters("%a %all", some), "%a %all");
}

TEST(Columns, PadAndCut) {
    EXPECT_EQ(cell("abc", 5, true), "  abc");
    EXPECT_EQ(cell("abc", 5, false), "abc  ");
    EXPECT_EQ(cell("abcdef", 3, true), "abc");
    EXPECT_EQ(cell("abcdef", std::nullopt, true), "abcdef");
    EXPECT_EQ(cell_with_plus("CANCELLED by 0", 10, true), "CANCELLED+");
}

}  // namespace
}  // namespace berth::slurm
