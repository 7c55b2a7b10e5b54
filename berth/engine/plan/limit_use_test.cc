#include "berth/engine/plan/limit_use.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

using UsedParts = std::vector<std::pair<std::uint32_t, std::int64_t>>;

std::vector<LimitUse::Part> as_parts(const UsedParts& plain) {
    std::vector<LimitUse::Part> parts;
    for (const auto& [of, amount] : plain) parts.push_back({of, amount});
    return parts;
}

LimitUse made_use(const UsedParts& counted, LimitUse::Account account, const UsedParts& queued) {
    return {as_parts(counted), account, as_parts(queued)};
}

UsedParts used_parts(auto&& parts) {
    UsedParts plain;
    for (const auto [of, amount] : parts) plain.emplace_back(of, amount);
    return plain;
}

TEST(LimitUse, IsNothingAtFirst) {
    static_assert(sizeof(LimitUse) == sizeof(void*));
    const LimitUse nothing;
    EXPECT_TRUE(nothing.empty());
    EXPECT_TRUE(used_parts(nothing.counted()).empty());
    EXPECT_TRUE(used_parts(nothing.queued()).empty());
    EXPECT_EQ(nothing.account(), QueueQuotas::kNone);
    EXPECT_TRUE(nothing.is_same(made_use({}, 3, {})));
}

TEST(LimitUse, HasAllPartsThatItWasMadeOf) {
    testing::for_each_seed(200, [](Rng& rng) {
        const auto some_parts = [&] {
            UsedParts parts;
            for (std::int64_t n = rng.between(0, 5); n > 0; --n) {
                parts.emplace_back(static_cast<std::uint32_t>(rng.between(0, 100'000)),
                                   rng.between(1, std::int64_t{1} << 50));
            }
            return parts;
        };
        const UsedParts counted = some_parts(), queued = some_parts();
        const LimitUse use = made_use(counted, 7, queued);
        ASSERT_EQ(used_parts(use.counted()), counted);
        ASSERT_EQ(used_parts(use.queued()), queued);
        ASSERT_EQ(use.empty(), counted.empty() && queued.empty());
        ASSERT_EQ(use.account(), queued.empty() ? QueueQuotas::kNone : 7);
        const LimitUse again = made_use(counted, 7, queued);
        ASSERT_EQ(again, use);
        ASSERT_EQ(again.hash(), use.hash());
    });
}

TEST(LimitUse, DiffersFromAllOthers) {
    const std::vector<LimitUse> all = {{},
                                       made_use({{1, 2}}, 0, {}),
                                       made_use({{1, 3}}, 0, {}),
                                       made_use({{2, 2}}, 0, {}),
                                       made_use({{1, 2}, {2, 2}}, 0, {}),
                                       made_use({{1, 2}}, 0, {{2, 2}}),
                                       made_use({{1, 2}}, 1, {{2, 2}}),
                                       made_use({}, 0, {{1, 2}}),
                                       made_use({}, 0, {{1, 2}, {2, 2}})};
    std::set<std::uint64_t> hashes;
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[i] == all[k], i == k);
        hashes.insert(all[i].hash());
    }
    EXPECT_EQ(hashes.size(), all.size());
}

TEST(LimitUse, IsTheSameObjectInAllCopies) {
    LimitUse one = made_use({{1, 2}}, 0, {});
    LimitUse copy = one;
    EXPECT_TRUE(copy.is_same(one));
    one = made_use({{1, 2}}, 0, {});
    EXPECT_FALSE(copy.is_same(one));
    EXPECT_EQ(copy, one);
    const LimitUse moved = std::move(copy);
    EXPECT_TRUE(copy.empty());  // NOLINT(bugprone-use-after-move): that is what is asked.
    EXPECT_EQ(moved, one);
}

}  // namespace
}  // namespace berth
