// Against what Go 1.26 draws after the same seeds.
#include "berth/report/go_random.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace berth::report {
namespace {

using Numbers = std::vector<std::int32_t>;

Numbers draw(GoRandom& random, std::size_t count, std::int32_t limit) {
    Numbers drawn;
    for (std::size_t i = 0; i < count; ++i) drawn.push_back(random.below(limit));
    return drawn;
}

TEST(GoRandom, DrawsTheWellKnownNumbersOfSeedOne) {
    GoRandom random(1);
    EXPECT_EQ(draw(random, 10, 100), (Numbers{81, 87, 47, 59, 81, 18, 25, 40, 56, 0}));
}

TEST(GoRandom, DrawsAllBitsAsGoDoes) {
    GoRandom random(42);
    EXPECT_EQ(random.next(), 12663951391086054483U);
    EXPECT_EQ(random.next(), 9832119173398632219U);
    for (int i = 2; i < 704; ++i) random.next();  // Once round the state.
    EXPECT_EQ(random.int63(), 6642286241292853061);
}

TEST(GoRandom, TakesAnySeed) {
    EXPECT_EQ(GoRandom(0).next(), 8717895732742165505U);
    EXPECT_EQ(GoRandom(-7).next(), 9970479060831305739U);
    EXPECT_EQ(GoRandom((std::int64_t{1} << 40) + 3).next(), 11358538897823433227U);
}

TEST(GoRandom, DrawsBelowPowersOfTwoAndLargeLimits) {
    GoRandom random(42);
    for (int i = 0; i < 705; ++i) random.next();
    EXPECT_EQ(draw(random, 6, 100), (Numbers{81, 63, 29, 44, 98, 87}));
    EXPECT_EQ(draw(random, 1, 64), (Numbers{3}));
    EXPECT_EQ(draw(random, 3, 2'000'000'000), (Numbers{1574248366, 992326755, 1479760616}));
}

TEST(GoRandom, PermutesAndShufflesAsGoDoes) {
    GoRandom random(42);
    for (int i = 0; i < 705; ++i) random.next();
    draw(random, 6, 100);
    draw(random, 1, 64);
    draw(random, 3, 2'000'000'000);
    Numbers order = random.permutation(10);
    EXPECT_EQ(order, (Numbers{9, 6, 4, 5, 7, 2, 0, 8, 1, 3}));
    random.shuffle(order);
    EXPECT_EQ(order, (Numbers{8, 5, 1, 2, 6, 3, 7, 0, 4, 9}));
    EXPECT_EQ(random.int63(), 9160880937926032105);
}

}  // namespace
}  // namespace berth::report
