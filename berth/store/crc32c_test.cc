#include "berth/store/crc32c.h"

#include <string>

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Crc32c, GivesThePublishedValues) {  // RFC 3720, B.4.
    EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
    EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
    EXPECT_EQ(crc32c(""), 0u);
}

TEST(Crc32c, GoesOnWhereItStopped) {
    const std::string text = "the quick brown fox jumps over the lazy dog";
    for (std::size_t n = 0; n <= text.size(); ++n) {
        EXPECT_EQ(crc32c(text.substr(n), crc32c(text.substr(0, n))), crc32c(text)) << n;
    }
}

TEST(Crc32c, NoticesEachFlippedBitAndAWrongNumber) {
    const std::string text = "a record of some length";
    const std::uint32_t right = crc32c_of(7, text);
    EXPECT_NE(crc32c_of(8, text), right);
    for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
        std::string wrong = text;
        wrong[bit / 8] = static_cast<char>(wrong[bit / 8] ^ (1 << (bit % 8)));
        EXPECT_NE(crc32c_of(7, wrong), right) << bit;
    }
}

}  // namespace
}  // namespace berth
