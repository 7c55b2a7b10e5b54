#include "berth/base/control_characters.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(ControlCharacters, AreWrittenInOctalAndAllElseStays) {
    EXPECT_EQ(with_escaped_controls("train \xc3\xa9\\n $(x)"), "train \xc3\xa9\\n $(x)");
    EXPECT_EQ(with_escaped_controls("a\nPATH=/x\t\x1b[31m\x7f"),
              "a\\012PATH=/x\\011\\033[31m\\177");
    EXPECT_EQ(with_escaped_controls(std::string_view("\0", 1)), "\\000");
}

}  // namespace
}  // namespace berth
