// What the book of limits keeps for a while. That it counts right is tested with whole engines:
// admission/accounting_edits_test.cc, tests/oracle_plan.
#include "berth/engine/plan/limit_book.h"

#include <gtest/gtest.h>

#include <map>

#include "berth/testing/builders.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

LimitBook::Key kept_key(std::uint32_t i) { return {i % 97 + 1, i / 3, QosId(i % 2)}; }
LimitUse kept_use(std::uint32_t i) {
    const std::vector<LimitUse::Part> counted = {{i, 1 + i % 5}};
    return {counted, QueueQuotas::kNone, {}};
}

TEST(LimitBook, NeverGivesOneKeyTheUseOfAnother) {
    constexpr std::uint32_t kKeys = 20'000;
    LimitBook book;
    EXPECT_EQ(book.find(kept_key(1)), nullptr);
    for (std::uint32_t i = 0; i < kKeys; ++i) {
        ASSERT_EQ(book.keep(kept_key(i), kept_use(i)), kept_use(i));
        ASSERT_NE(book.find(kept_key(i)), nullptr);
    }
    std::uint32_t kept = 0, of_the_last = 0;
    for (std::uint32_t i = 0; i < kKeys; ++i) {
        const LimitUse* const known = book.find(kept_key(i));
        if (known == nullptr) continue;
        ASSERT_EQ(*known, kept_use(i));
        ++kept;
        if (i + 500 >= kKeys) ++of_the_last;
    }
    EXPECT_GT(kept, 1500U);
    EXPECT_GT(of_the_last, 400U);  // So many wait ahead.
    book.forget_known();
    for (std::uint32_t i = 0; i < kKeys; ++i) ASSERT_EQ(book.find(kept_key(i)), nullptr);
}

// A job, and the book of a site with a limit on memory.
struct LimitedSite {
    Engine engine;
    JobId job{0};
    LimitBook book;

    LimitedSite() : engine(testing::make_engine(spec())) {
        job = testing::submit(engine, Time{}, testing::make_job());
        book.rebuild(engine.state().quota());
    }
    static ClusterSpec spec() {
        ClusterSpec spec = testing::make_cluster(1);
        spec.scheduling.enforce_limits = true;
        spec.qos[0].limits.max_tres_per_user = {{"mem", 100'000}};
        spec.qos[0].limits.max_jobs = 10;
        return spec;
    }
    LimitUse use_of(std::int64_t memory) const {
        const Job& record = *engine.state().find_job(job);
        return book.use_of(engine.state(), record, demand_of(engine.state().spec(), record),
                           {.memory = memory});
    }
};

TEST(LimitBook, HoldsEqualUsesOnceWhileItRemembersThem) {
    const LimitedSite site;
    const LimitUse one = site.use_of(1000);
    ASSERT_FALSE(one.empty());
    EXPECT_TRUE(one.is_same(site.use_of(1000)));
    for (std::int64_t memory = 1; memory < 20'000; ++memory) site.use_of(100'000 + memory);
    EXPECT_EQ(site.use_of(1000), one);
}

TEST(LimitBook, FindsTheSameCountersForAUseThatItHasForgotten) {
    LimitedSite site;
    const Time start(Duration(10)), end(Duration(20));
    const LimitUse most = site.use_of(100'000), one = site.use_of(1);
    const auto first_free = [&] {
        return site.book.first_free(one, Time{}, kNever, Duration(15)).value();
    };
    EXPECT_EQ(first_free(), Time{});
    site.book.book(start, end, most);
    EXPECT_EQ(first_free(), end);
    for (std::int64_t memory = 2; memory < 20'000; ++memory) site.use_of(memory);
    EXPECT_EQ(site.book.first_free(site.use_of(1), Time{}, kNever, Duration(15)), end);
    site.book.give_back(start, end, site.use_of(100'000));
    EXPECT_EQ(first_free(), Time{});
}

TEST(LimitCounters, NumbersEachCounterOnce) {
    testing::for_each_seed(20, [](Rng& rng) {
        LimitCounters counters;
        std::map<LimitCounter, std::uint32_t> numbers;
        std::map<LimitCounter, std::int64_t> totals;
        for (int i = 0; i < 2000; ++i) {
            LimitCounter what{
                .holder = static_cast<LimitCounter::Holder>(rng.between(0, 5)),
                .what = rng.chance(30) ? LimitCounter::What::jobs : LimitCounter::What::tres,
                .of = static_cast<std::uint32_t>(rng.between(0, 20)),
                .within = static_cast<std::uint32_t>(rng.between(0, 20)),
                .dimensions = static_cast<DimensionSet>(1U << rng.between(0, 3)),
                .of_type = rng.chance(20)};
            const auto next = static_cast<std::uint32_t>(numbers.size());
            const auto [at, is_new] = numbers.try_emplace(what, next);
            if (is_new) totals[what] = i;
            ASSERT_EQ(counters.number_of(what, i), at->second);
            ASSERT_EQ(counters.size(), numbers.size());
        }
        for (const auto& [what, number] : numbers)
            ASSERT_EQ(counters[number].total(), totals[what]);
        counters.clear();
        EXPECT_EQ(counters.number_of(numbers.begin()->first, 5), 0U);
    });
}

}  // namespace
}  // namespace berth
