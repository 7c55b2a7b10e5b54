#include "berth/slurm/text/argument_text.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

TEST(ArgumentText, AddsTheNamesOfAListWithoutBlanks) {
    std::vector<std::string> names{"eve"};
    add_names("ann, bob,", names);
    EXPECT_EQ(names, (std::vector<std::string>{"eve", "ann", "bob", ""}));
}

TEST(ArgumentText, AKeywordMayBeCutShortButNotTooShortNorGoOn) {
    EXPECT_TRUE(means("ac", "accounts", 2));
    EXPECT_TRUE(means("ACCOUNTS", "accounts", 2));
    EXPECT_FALSE(means("a", "accounts", 2));
    EXPECT_FALSE(means("acx", "accounts", 2));
    EXPECT_FALSE(means("accountsx", "accounts", 2));
}

TEST(ArgumentText, AWholeNumberLiesWithinItsBounds) {
    EXPECT_EQ(whole_number("NodeCnt", "1", 1, 9).value(), 1);
    EXPECT_EQ(whole_number("NodeCnt", "9", 1, 9).value(), 9);
    for (const char* const text : {"0", "10", "", "x", "-1", "1x"}) {
        const auto number = whole_number("NodeCnt", text, 1, 9);
        ASSERT_FALSE(number.ok()) << text;
        EXPECT_EQ(number.error(), (Error{ErrorCode::invalid_argument,
                                         std::string("Invalid NodeCnt value: ") + text}));
    }
}

}  // namespace
}  // namespace berth::slurm
