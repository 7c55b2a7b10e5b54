#include "berth/model/micro.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Micro, ReadsUpToSixDecimals) {
    EXPECT_EQ(parse_micro("0.25"), 250'000);
    EXPECT_EQ(parse_micro("3"), 3'000'000);
    EXPECT_EQ(parse_micro(".000001"), 1);
    EXPECT_EQ(parse_micro("1.50000000"), 1'500'000);
    EXPECT_EQ(parse_micro("4294967295"), 4'294'967'295'000'000);
    for (const char* wrong : {"", ".", "-1", "0.0000001", "1e3", "4294967296", "1.2.3", " 1"})
        EXPECT_EQ(parse_micro(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace berth
