#include "berth/base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace berth {
namespace {

enum class Colour : std::uint8_t { red, green };

template <class... Things>
std::uint64_t fingerprint_of(const Things&... things) {
    StateHash hash;
    (hash.add(things), ...);
    return hash.value();
}

// Golden values: they must not change between compilers, processors or versions, or a recorded run
// could no longer be checked.
TEST(StateHash, IsTheSameForEver) {
    EXPECT_EQ(fingerprint_of(), 0x00fedc3f70e70dd6U);
    EXPECT_EQ(fingerprint_of(std::uint64_t{1}), 0xd730b3df5ca7b5c6U);
    EXPECT_EQ(fingerprint_of(std::string_view("gpu[1-3]")), 0xd48b16cf1cda1fbaU);
}

TEST(StateHash, TellsApartWhatDiffers) {
    const std::set<std::uint64_t> all = {
        fingerprint_of(),
        fingerprint_of(0),
        fingerprint_of(0, 0),
        fingerprint_of(1, 2),
        fingerprint_of(2, 1),
        fingerprint_of(-1),
        fingerprint_of(std::string_view("ab"), std::string_view("c")),
        fingerprint_of(std::string_view("a"), std::string_view("bc")),
        fingerprint_of(std::string_view("12345678")),
        fingerprint_of(std::string_view("123456789")),
        fingerprint_of(std::optional<int>(7)),
        fingerprint_of(std::vector<int>{1, 2}, std::vector<int>{3}),
        fingerprint_of(std::vector<int>{1}, std::vector<int>{2, 3}),
    };
    EXPECT_EQ(all.size(), 13U);
}

TEST(StateHash, ANumberIsTheSameInEveryWidth) {
    EXPECT_EQ(fingerprint_of(5), fingerprint_of(std::uint64_t{5}));
    EXPECT_EQ(fingerprint_of(std::int8_t{-5}), fingerprint_of(std::int64_t{-5}));
    EXPECT_EQ(fingerprint_of(Colour::green), fingerprint_of(1));
    EXPECT_EQ(fingerprint_of(true), fingerprint_of(1));
}

TEST(StateHash, KnowsOurOwnTypes) {
    EXPECT_EQ(fingerprint_of(StrongId<struct Tag>(9)), fingerprint_of(9));
    EXPECT_EQ(fingerprint_of(Bytes(9)), fingerprint_of(9));
    EXPECT_EQ(fingerprint_of(Time(Duration(9))), fingerprint_of(9));
    EXPECT_EQ(fingerprint_of(std::optional<int>()), fingerprint_of(false));
    EXPECT_EQ(fingerprint_of("text"), fingerprint_of(std::string("text")));
}

TEST(StateHash, OneBitChangesAboutHalfOfTheResult) {
    int flipped = 0;
    for (int bit = 0; bit < 64; ++bit) {
        flipped += std::popcount(fingerprint_of(std::uint64_t{0}) ^
                                 fingerprint_of(std::uint64_t{1} << bit));
    }
    EXPECT_NEAR(flipped, 64 * 32, 64 * 4);
}

}  // namespace
}  // namespace berth
