#include "berth/base/bitmask.h"

#include <gtest/gtest.h>

#include <set>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

BitSet set_of(std::string_view list, std::size_t size = 200) {
    return BitSet::parse(list, size).value();
}

TEST(BitSet, ReadsAndPrintsLists) {
    for (const char* list : {"", "0", "0-3,8", "63-64", "199", "0-199", "1,3,5"}) {
        EXPECT_EQ(set_of(list).to_list(), list);
    }
    EXPECT_EQ(set_of(" 3 , 1-2,2").to_list(), "1-3");
    EXPECT_EQ(BitSet::all(130).to_list(), "0-129");
    EXPECT_EQ(BitSet::all(64).count(), 64U);
    EXPECT_EQ(BitSet::all(0).to_list(), "");
}

TEST(BitSet, RefusesTheRestAndSaysWhatItWanted) {
    for (const char* list : {"a", "3-1", "-1", "1-", ",", "200", "0-200", "1 2", "1-2-3"}) {
        const Result<BitSet> set = BitSet::parse(list, 200);
        ASSERT_FALSE(set.ok()) << list;
        EXPECT_NE(set.error().message.find("below 200"), std::string::npos);
    }
}

TEST(BitSet, FindsItsMembersInOrder) {
    const BitSet set = set_of("3,64,128,199");
    EXPECT_EQ(set.find_first(), 3U);
    EXPECT_EQ(set.find_next(3), 64U);
    EXPECT_EQ(set.find_next(64), 128U);
    EXPECT_EQ(set.find_next(128), 199U);
    EXPECT_EQ(set.find_next(199), BitSet::kNone);
    EXPECT_EQ(BitSet(200).find_first(), BitSet::kNone);
    EXPECT_EQ(BitSet().find_first(), BitSet::kNone);
}

// Against std::set, which is slow and surely right.
TEST(BitSet, DoesAsASetDoes) {
    testing::for_each_seed(200, [](Rng& rng) {
        const auto size = static_cast<std::size_t>(rng.between(1, 150));
        BitSet a(size), b(size);
        std::set<std::size_t> slow_a, slow_b;
        for (int i = 0; i < 60; ++i) {
            const auto n =
                static_cast<std::size_t>(rng.between(0, static_cast<std::int64_t>(size) - 1));
            if (rng.chance(50)) a.set(n), slow_a.insert(n);
            if (rng.chance(50)) b.set(n), slow_b.insert(n);
            if (rng.chance(20)) a.reset(n), slow_a.erase(n);
        }
        EXPECT_EQ(a.count(), slow_a.size());
        EXPECT_EQ(a.empty(), slow_a.empty());
        bool all = true, any = false;
        for (std::size_t n = 0; n < size; ++n) {
            const bool in_a = slow_a.contains(n), in_b = slow_b.contains(n);
            all = all && (!in_a || in_b);
            any = any || (in_a && in_b);
            EXPECT_EQ(a.test(n), in_a);
            EXPECT_EQ((a | b).test(n), in_a || in_b);
            EXPECT_EQ((a & b).test(n), in_a && in_b);
            EXPECT_EQ((a - b).test(n), in_a && !in_b);
        }
        EXPECT_EQ(a.is_subset_of(b), all);
        EXPECT_EQ(a.intersects(b), any);
        EXPECT_EQ(BitSet::parse(a.to_list(), size).value(), a);
    });
}

TEST(Mask, ReadsAndPrintsLists) {
    EXPECT_EQ(mask_to_list(0), "");
    EXPECT_EQ(mask_to_list(0b100011), "0-1,5");
    EXPECT_EQ(mask_to_list(~std::uint64_t{0}), "0-63");
    EXPECT_EQ(list_to_mask("0-1,5").value(), 0b100011U);
    EXPECT_EQ(list_to_mask("0-63").value(), ~std::uint64_t{0});
    EXPECT_FALSE(list_to_mask("64").ok());
}

TEST(Mask, VisitsItsMembersFromTheLowest) {
    std::vector<int> members;
    for_each_bit(0b100011 | bit(63), [&](int n) { members.push_back(n); });
    EXPECT_EQ(members, (std::vector<int>{0, 1, 5, 63}));
    EXPECT_EQ(popcount(0b100011), 3);
    EXPECT_EQ(lowest(0b101000), 3);
    EXPECT_EQ(low_bits(0), 0U);
    EXPECT_EQ(low_bits(64), ~std::uint64_t{0});
}

}  // namespace
}  // namespace berth
