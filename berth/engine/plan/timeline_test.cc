#include "berth/engine/plan/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

Resources some(std::int64_t cpus) {
    Resources amount;
    amount.set_cpu(cores(cpus));
    return amount;
}

TEST(Timeline, BooksAndGivesBackLeavingNoTrace) {
    Timeline timeline(some(8));
    timeline.book(at_ms(10), at_ms(20), some(5));
    timeline.book(at_ms(15), kNever, some(2));
    EXPECT_EQ(timeline.free_at(at_ms(9)), some(8));
    EXPECT_EQ(timeline.free_at(at_ms(10)), some(3));
    EXPECT_EQ(timeline.free_at(at_ms(15)), some(1));
    EXPECT_EQ(timeline.free_at(at_ms(20)), some(6));
    EXPECT_EQ(timeline.least_free(at_ms(0), at_ms(15)), some(3));
    EXPECT_FALSE(timeline.goes_below_zero(at_ms(0), kNever));
    timeline.give_back(at_ms(15), kNever, some(2));
    timeline.give_back(at_ms(10), at_ms(20), some(5));
    EXPECT_EQ(timeline.size(), 1U);
}

TEST(Timeline, HoldsOverbookingWithoutHarm) {
    Timeline timeline(some(4));
    timeline.book(at_ms(0), at_ms(10), some(3));
    timeline.book(at_ms(5), at_ms(8), some(3));
    EXPECT_TRUE(timeline.goes_below_zero(at_ms(7), at_ms(9)));
    EXPECT_FALSE(timeline.goes_below_zero(at_ms(8), at_ms(20)));
    EXPECT_FALSE(timeline.goes_below_zero(at_ms(0), at_ms(5)));
}

TEST(Timeline, AgreesWithOneValueForEachMoment) {
    constexpr std::size_t kMoments = 40;
    testing::for_each_seed(300, [](Rng& rng) {
        Timeline timeline(some(100));
        std::array<std::int64_t, kMoments> plain{};
        plain.fill(100);
        struct Booked {
            std::int64_t start, end, amount;
        };
        std::vector<Booked> booked;
        Time forgotten = at_ms(0);
        for (int i = 0; i < 30; ++i) {
            const bool more = !booked.empty() && rng.chance(40);
            Booked one{rng.between(0, 30), 0, rng.between(1, 9)};
            one.end = one.start + rng.between(1, 9);
            if (more) {
                const auto pick = static_cast<std::size_t>(
                    rng.between(0, static_cast<std::int64_t>(booked.size()) - 1));
                one = booked[pick];
                booked.erase(booked.begin() + static_cast<std::ptrdiff_t>(pick));
                timeline.give_back(at_ms(one.start), at_ms(one.end), some(one.amount));
            } else {
                booked.push_back(one);
                timeline.book(at_ms(one.start), at_ms(one.end), some(one.amount));
            }
            for (auto t = one.start; t < one.end; ++t) {
                plain[static_cast<std::size_t>(t)] += more ? one.amount : -one.amount;
            }
            if (rng.chance(10)) {
                forgotten = at_ms(rng.between(forgotten.time_since_epoch().count(), 20));
                timeline.forget_before(forgotten);
            }
        }
        for (std::size_t t = 0; t < kMoments; ++t) {
            const Time moment = at_ms(static_cast<std::int64_t>(t));
            if (moment >= forgotten) {
                EXPECT_EQ(timeline.free_at(moment).cpu(), cores(plain[t])) << t;
            }
        }
        const std::int64_t from = rng.between(forgotten.time_since_epoch().count(), 30);
        const std::int64_t until = rng.between(from + 1, 39);
        const std::int64_t least = *std::min_element(plain.begin() + from, plain.begin() + until);
        EXPECT_EQ(timeline.least_free(at_ms(from), at_ms(until)), some(least));
    });
}

}  // namespace
}  // namespace berth
