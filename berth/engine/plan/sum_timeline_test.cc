// Sums over time against one value for each moment, in chunks so small that they split, empty and
// merge all the time.
#include "berth/engine/plan/sum_timeline.h"

#include <gtest/gtest.h>

#include "berth/engine/plan/count_timeline.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

constexpr std::int64_t kSumMoments = 120;

using TwoSums = SumTimeline<2>;

struct AddedSums {
    std::int64_t start = 0, end = 0;
    TwoSums::Sums sums{};
};

AddedSums some_sums(Rng& rng) {
    AddedSums one{.start = rng.between(0, kSumMoments - 2)};
    one.end = rng.between(one.start + 1, kSumMoments - 1);
    one.sums = {rng.between(-3, 3), rng.between(0, 2)};
    return one;
}

void expect_bounds(const TwoSums& sums, const std::vector<TwoSums::Sums>& plain, std::int64_t t) {
    const auto exact = sums.at(at_ms(t));
    ASSERT_EQ(exact.least, plain[static_cast<std::size_t>(t)]) << t;
    ASSERT_EQ(exact.most, exact.least);
    const auto around = sums.around(at_ms(t));
    ASSERT_TRUE(around.start <= at_ms(t) && at_ms(t) < around.end);
    for (std::size_t i = 0; i < 2; ++i) {
        ASSERT_LE(around.least[i], exact.least[i]);
        ASSERT_GE(around.most[i], exact.most[i]);
    }
}

void expect_bounds_over(const TwoSums& sums, const std::vector<TwoSums::Sums>& plain,
                        const AddedSums& part) {
    const auto over = sums.over(at_ms(part.start), at_ms(part.end));
    ASSERT_TRUE(over.start <= at_ms(part.start) && at_ms(part.end) <= over.end);
    for (auto t = part.start; t < part.end; ++t) {
        for (std::size_t i = 0; i < 2; ++i) {
            ASSERT_LE(over.least[i], plain[static_cast<std::size_t>(t)][i]);
            ASSERT_GE(over.most[i], plain[static_cast<std::size_t>(t)][i]);
        }
    }
}

// Where there is no such start, some time at or behind the last moment may be found.
void expect_first_at_least(const TwoSums& sums, const std::vector<TwoSums::Sums>& plain, Rng& rng) {
    const std::int64_t amount = rng.between(-4, 9), length = rng.between(1, 30);
    const std::int64_t earliest = rng.between(0, 60), until = rng.between(0, kSumMoments - 1);
    const auto fits = [&](std::int64_t start) {
        for (auto t = start; t < std::min(start + length, until); ++t)
            if (plain[static_cast<std::size_t>(t)][0] < amount) return false;
        return true;
    };
    std::int64_t expected = earliest;
    while (expected < until && !fits(expected)) ++expected;
    const Time found = sums.first_at_least(amount, at_ms(earliest), Duration(length), at_ms(until));
    const Time last = std::max(at_ms(until), at_ms(earliest));
    ASSERT_EQ(std::min(found, last), at_ms(expected))
        << amount << " for " << length << " from " << earliest << " until " << until;
}

TEST(SumTimeline, AgreesWithOneValueForEachMoment) {
    testing::for_each_seed(300, [](Rng& rng) {
        TwoSums sums({5, 0}, static_cast<std::size_t>(rng.between(2, 6)));
        std::vector<TwoSums::Sums> plain(kSumMoments, {5, 0});
        std::vector<AddedSums> added;
        for (int i = 0; i < 80; ++i) {
            AddedSums one = some_sums(rng);
            if (!added.empty() && rng.chance(45)) {
                const auto at =
                    added.begin() + rng.between(0, static_cast<std::int64_t>(added.size()) - 1);
                one = *at;
                added.erase(at);
                for (std::int64_t& sum : one.sums) sum = -sum;
            } else {
                added.push_back(one);
            }
            sums.add(at_ms(one.start), at_ms(one.end), one.sums);
            for (auto t = one.start; t < one.end; ++t) {
                for (std::size_t k = 0; k < 2; ++k)
                    plain[static_cast<std::size_t>(t)][k] += one.sums[k];
            }
        }
        for (std::int64_t t = 0; t < kSumMoments; ++t) expect_bounds(sums, plain, t);
        for (int i = 0; i < 20; ++i) expect_first_at_least(sums, plain, rng);
        const AddedSums part = some_sums(rng);
        expect_bounds_over(sums, plain, part);
        std::int64_t reached = part.start;
        sums.walk(
            at_ms(part.start), at_ms(part.end),
            [&](const TwoSums::Span& span) { return span.least[0] == span.most[0]; },
            [&](const TwoSums::Span& span) {
                ASSERT_EQ(span.start, at_ms(reached));
                for (; at_ms(reached) < span.end; ++reached)
                    ASSERT_EQ(span.least[0], plain[static_cast<std::size_t>(reached)][0]);
            });
        ASSERT_EQ(reached, part.end);
        for (const AddedSums& one : added)
            sums.add(at_ms(one.start), at_ms(one.end), {-one.sums[0], -one.sums[1]});
        const auto all = sums.at(at_ms(50));
        ASSERT_EQ(all.start, Time::min()) << "a trace is left";
        ASSERT_EQ(all.end, kNever);
    });
}

TEST(SumTimeline, KeepsTheLowerBoundAlone) {
    using LowSums = SumTimeline<1, KeptBounds::least>;
    testing::for_each_seed(300, [](Rng& rng) {
        LowSums sums({5}, static_cast<std::size_t>(rng.between(2, 6)));
        std::vector<std::int64_t> plain(kSumMoments, 5);
        for (int i = 0; i < 80; ++i) {
            const AddedSums one = some_sums(rng);
            sums.add(at_ms(one.start), at_ms(one.end), {one.sums[0]});
            for (auto t = one.start; t < one.end; ++t)
                plain[static_cast<std::size_t>(t)] += one.sums[0];
        }
        for (std::int64_t t = 0; t < kSumMoments; ++t) {
            const std::int64_t there = plain[static_cast<std::size_t>(t)];
            ASSERT_EQ(sums.at(at_ms(t)).least[0], there);
            ASSERT_EQ(sums.at(at_ms(t)).most[0], there);
        }
        // The bound is no lower than it has to be.
        for (std::int64_t t = 0; t < kSumMoments;) {
            const auto around = sums.around(at_ms(t));
            std::int64_t least = t == 0 ? 5 : INT64_MAX;  // Nothing was added before.
            for (; t < kSumMoments && at_ms(t) < around.end; ++t)
                least = std::min(least, plain[static_cast<std::size_t>(t)]);
            if (around.end <= at_ms(kSumMoments)) {
                ASSERT_EQ(around.least[0], least);
            }
        }
    });
}

TEST(CountTimeline, FindsTheFirstTimeWithRoom) {
    testing::for_each_seed(300, [](Rng& rng) {
        CountTimeline free(6);
        std::vector<std::int64_t> plain(kSumMoments, 6);
        for (int i = 0; i < 60; ++i) {
            const AddedSums one = some_sums(rng);
            const std::int64_t count = rng.between(0, 1);
            const auto end = std::min(one.end, one.start + 12);
            free.book(at_ms(one.start), at_ms(end), count);
            for (auto t = one.start; t < end; ++t) plain[static_cast<std::size_t>(t)] -= count;
        }
        const std::int64_t count = rng.between(1, 7), length = rng.between(1, 20);
        const std::int64_t earliest = rng.between(0, 60), until = rng.between(0, 2 * kSumMoments);
        const auto fits = [&](std::int64_t start) {
            for (auto t = start; t < std::min({start + length, until, kSumMoments}); ++t)
                if (plain[static_cast<std::size_t>(t)] < count) return false;
            return count <= 6 || std::min(start + length, until) <= std::max(start, kSumMoments);
        };
        Time expected = kNever;
        for (auto t = earliest; t < kSumMoments && expected == kNever; ++t)
            if (fits(t)) expected = at_ms(t);
        const Time found = free.first_free(count, at_ms(earliest), Duration(length), at_ms(until));
        const Time last = std::max(at_ms(until), at_ms(earliest));  // Later than that is no matter.
        ASSERT_EQ(std::min(found, last), std::min(expected, last))
            << count << " for " << length << " from " << earliest << " until " << until;
        bool below = false;
        for (auto t = earliest; t < earliest + length; ++t)
            below = below || plain[static_cast<std::size_t>(t)] < 0;
        ASSERT_EQ(free.goes_below_zero(at_ms(earliest), at_ms(earliest + length)), below);
    });
}

}  // namespace
}  // namespace berth
