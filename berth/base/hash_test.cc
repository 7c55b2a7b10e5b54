#include "berth/base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace berth {
namespace {

enum class Colour : std::uint8_t { red, green };

template <class... Things>
std::uint64_t hash_of(const Things&... things) {
    StateHash hash;
    (hash.add(things), ...);
    return hash.value();
}

// Golden values: they must not change between compilers, processors or versions, or a recorded run
// could no longer be checked.
TEST(StateHash, IsTheSameForEver) {
    EXPECT_EQ(hash_of(), 0x00fedc3f70e70dd6U);
    EXPECT_EQ(hash_of(std::uint64_t{1}), 0xd730b3df5ca7b5c6U);
    EXPECT_EQ(hash_of(std::string_view("gpu[1-3]")), 0xd48b16cf1cda1fbaU);
}

TEST(StateHash, TellsApartWhatDiffers) {
    const std::set<std::uint64_t> all = {
        hash_of(),
        hash_of(0),
        hash_of(0, 0),
        hash_of(1, 2),
        hash_of(2, 1),
        hash_of(-1),
        hash_of(std::string_view("ab"), std::string_view("c")),
        hash_of(std::string_view("a"), std::string_view("bc")),
        hash_of(std::string_view("12345678")),
        hash_of(std::string_view("123456789")),
        hash_of(std::optional<int>(7)),
        hash_of(std::vector<int>{1, 2}, std::vector<int>{3}),
        hash_of(std::vector<int>{1}, std::vector<int>{2, 3}),
    };
    EXPECT_EQ(all.size(), 13U);
}

TEST(StateHash, ANumberIsTheSameInEveryWidth) {
    EXPECT_EQ(hash_of(5), hash_of(std::uint64_t{5}));
    EXPECT_EQ(hash_of(std::int8_t{-5}), hash_of(std::int64_t{-5}));
    EXPECT_EQ(hash_of(Colour::green), hash_of(1));
    EXPECT_EQ(hash_of(true), hash_of(1));
}

TEST(StateHash, KnowsOurOwnTypes) {
    EXPECT_EQ(hash_of(StrongId<struct Tag>(9)), hash_of(9));
    EXPECT_EQ(hash_of(Bytes(9)), hash_of(9));
    EXPECT_EQ(hash_of(Time(Duration(9))), hash_of(9));
    EXPECT_EQ(hash_of(std::optional<int>()), hash_of(false));
    EXPECT_EQ(hash_of("text"), hash_of(std::string("text")));
}

TEST(StateHash, OneBitChangesAboutHalfOfTheResult) {
    int flipped = 0;
    for (int bit = 0; bit < 64; ++bit) {
        flipped += std::popcount(hash_of(std::uint64_t{0}) ^ hash_of(std::uint64_t{1} << bit));
    }
    EXPECT_NEAR(flipped, 64 * 32, 64 * 4);
}

}  // namespace
}  // namespace berth
