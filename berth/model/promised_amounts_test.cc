#include "berth/model/promised_amounts.h"

#include <gtest/gtest.h>

#include "berth/base/codec.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

NodeAmounts random_amounts(Rng& rng) {
    NodeAmounts amounts;
    const bool alike = rng.chance(50);
    for (std::int64_t n = rng.between(0, 9); n > 0; --n) {
        Resources amount;
        if (alike && !amounts.empty()) amount = amounts.front().second;
        for (std::size_t d = 0; !(alike && !amounts.empty()) && d < kDimensionsMax; ++d) {
            if (rng.chance(30)) amount[DimensionId::from_index(d)] = rng.between(-3, 1LL << 50);
        }
        amounts.emplace_back(NodeId(static_cast<std::uint32_t>(rng.between(0, 1 << 20))), amount);
    }
    return amounts;
}

TEST(PlannedAmounts, AreWhatTheyWereMadeOf) {
    testing::for_each_seed(200, [](Rng& rng) {
        const NodeAmounts plain = random_amounts(rng), other = random_amounts(rng);
        const PlannedAmounts held = plain;
        ASSERT_EQ(held.plain(), plain);
        ASSERT_EQ(held.size(), plain.size());
        std::size_t at = 0;
        for (const auto& [node, amount] : held) {
            ASSERT_EQ(node, plain[at].first);
            ASSERT_EQ(held.nodes()[at], node);
            ASSERT_EQ(amount, plain[at++].second);
        }
        ASSERT_TRUE(held == PlannedAmounts(plain));
        ASSERT_EQ(held == PlannedAmounts(other), plain == other);
        ASSERT_EQ(encode(held), encode(plain));
        ASSERT_TRUE(decode<PlannedAmounts>(encode(plain)).value() == held);
    });
}

TEST(PlannedAmounts, AreTheSameObjectInAllCopies) {
    Resources amount;
    amount.set_cpu(cores(4));
    const PlannedAmounts one{{NodeId(3), amount}};
    PlannedAmounts copy = one;
    EXPECT_TRUE(copy.is_same(one));
    copy = PlannedAmounts{};
    EXPECT_TRUE(copy.empty());
    EXPECT_EQ(one.front().second, amount);
}

}  // namespace
}  // namespace berth
