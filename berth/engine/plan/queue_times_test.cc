// Use of quotas over time: at every moment it is what QueueQuotas says of the same uses, over
// random trees; and the first time with room is the one that a look at every moment finds.
#include "berth/engine/plan/queue_times.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using Index = QueueQuotas::Index;

constexpr std::int64_t kLast = 30;  // Moments, in milliseconds.

struct Booking {
    std::int64_t start = 0, end = 0;
    Index account = QueueQuotas::kNone;
    std::int64_t amount = 0;
};

// Accounts below each other, some of them queues, some of which name their lenders.
QueueQuotas some_tree(Rng& rng) {
    ClusterSpec spec = testing::make_cluster(1);
    std::vector<Index> parents;
    for (std::int64_t i = 0, count = rng.between(1, 6); i < count; ++i) {
        const std::string name = "q" + std::to_string(i);
        spec.accounts.push_back({.name = name});
        parents.push_back(i == 0 || rng.chance(50) ? QueueQuotas::kNone
                                                   : static_cast<Index>(rng.between(0, i - 1)));
        if (rng.chance(25)) continue;
        QueueSpec queue{.name = name, .nominal = {{"cpu", rng.between(0, 8)}}};
        if (rng.chance(40)) queue.guarantee = {{"cpu", rng.between(0, queue.nominal[0].second)}};
        for (Index other = 0; other < parents.size(); ++other) {
            const bool both_at_top = parents.back() == QueueQuotas::kNone &&
                                     parents[other] == QueueQuotas::kNone &&
                                     other + 1U < parents.size();
            if (both_at_top && rng.chance(30)) queue.lenders.push_back("q" + std::to_string(other));
        }
        if (rng.chance(40)) queue.limit = {{"cpu", queue.nominal[0].second + rng.between(0, 5)}};
        spec.queues.push_back(std::move(queue));
    }
    QueueQuotas quotas;
    quotas.rebuild(spec, LicenseNumbers(spec), parents);
    return quotas;
}

// As of each moment.
std::vector<QueueQuotas> moment_by_moment(const QueueQuotas& empty,
                                          const std::vector<Booking>& bookings) {
    std::vector<QueueQuotas> moments;
    for (std::int64_t t = 0; t <= kLast; ++t) {
        QueueQuotas& there = moments.emplace_back(empty);
        for (const Booking& one : bookings) {
            if (one.start <= t && t < one.end) there.use(one.account, 0, one.amount);
        }
    }
    return moments;
}

Time first_by_looking(const std::vector<QueueQuotas>& moments, Index account, std::int64_t amount,
                      std::int64_t earliest, std::int64_t length) {
    for (std::int64_t start = earliest; start <= kLast; ++start) {
        bool fits = true;
        for (std::int64_t t = start; t < start + length; ++t) {
            const auto& there = moments[static_cast<std::size_t>(std::min(t, kLast))];
            fits = fits && there.free_to(account, 0) >= amount;
        }
        if (fits) return at_ms(start);
    }
    return kNever;
}

bool is_over(const QueueQuotas& there, Index account) {
    for (; account != QueueQuotas::kNone; account = there.parent_of(account)) {
        const auto& quota = there.of(account, 0);
        if (quota.limit != QueueQuotas::kUnlimited && quota.used > quota.limit) return true;
    }
    return false;
}

struct TimesSeen {
    std::size_t later = 0, never = 0, over = 0;
};

void compare(Rng& rng, TimesSeen& seen) {
    const QueueQuotas empty = some_tree(rng);
    if (empty.tres().empty()) return;
    QueueTimes times;
    times.rebuild(empty);
    std::vector<Booking> bookings;
    const auto some_account = [&] {
        return static_cast<Index>(rng.between(0, static_cast<std::int64_t>(empty.accounts()) - 1));
    };
    for (int i = 0; i < 25; ++i) {
        if (!bookings.empty() && rng.chance(35)) {
            const auto at =
                bookings.begin() + rng.between(0, static_cast<std::int64_t>(bookings.size()) - 1);
            times.use(at_ms(at->start), at_ms(at->end), at->account, 0, -at->amount);
            bookings.erase(at);
            continue;
        }
        Booking one{
            .start = rng.between(0, 20), .account = some_account(), .amount = rng.between(1, 5)};
        one.end = one.start + rng.between(1, 9);
        times.use(at_ms(one.start), at_ms(one.end), one.account, 0, one.amount);
        bookings.push_back(one);
    }
    const auto moments = moment_by_moment(empty, bookings);
    for (int i = 0; i < 10; ++i) {
        const Index account = some_account();
        const std::int64_t amount = rng.between(1, 8), earliest = rng.between(0, 20);
        const std::int64_t length = rng.between(1, 8);
        const Time found = times.first_free(account, 0, amount, at_ms(earliest), Duration(length));
        ASSERT_EQ(found, first_by_looking(moments, account, amount, earliest, length));
        seen.later += found > at_ms(earliest) && found != kNever ? 1U : 0U;
        seen.never += found == kNever ? 1U : 0U;
        bool over = false;
        for (std::int64_t t = earliest; t < earliest + length; ++t)
            over = over || is_over(moments[static_cast<std::size_t>(t)], account);
        ASSERT_EQ(times.exceeds(account, 0, at_ms(earliest), at_ms(earliest + length)), over);
        seen.over += over ? 1U : 0U;
    }
    for (const Booking& one : bookings)
        times.use(at_ms(one.start), at_ms(one.end), one.account, 0, -one.amount);
    for (Index a = 0; a < empty.accounts(); ++a) {
        const std::int64_t most = empty.most_of(a, 0);
        const Time all = times.first_free(a, 0, most, at_ms(0), Duration(kLast));
        ASSERT_EQ(all, at_ms(0)) << "something is still in use";
    }
}

TEST(QueueTimes, AreQueueQuotasAtEveryMoment) {
    TimesSeen seen;
    testing::for_each_seed(400, [&](Rng& rng) { compare(rng, seen); });
    const auto bound = static_cast<std::size_t>(testing::scaled(50));
    EXPECT_GT(seen.later, bound);
    EXPECT_GT(seen.never, bound);
    EXPECT_GT(seen.over, bound);
}

TEST(QueueTimes, KnowWhatIsUsedByRight) {
    ClusterSpec spec = testing::make_cluster(1);
    for (const char* const name : {"a", "b"}) {
        spec.accounts.push_back({.name = name});
        spec.queues.push_back({.name = name, .nominal = {{"cpu", 4}}});
    }
    QueueQuotas quotas;
    quotas.rebuild(spec, LicenseNumbers(spec), {QueueQuotas::kNone, QueueQuotas::kNone});
    QueueTimes times;
    times.rebuild(quotas);
    times.use(at_ms(0), at_ms(10), 0, 0, 4);
    times.use(at_ms(5), at_ms(8), 0, 0, 1);  // Lent by b.
    EXPECT_TRUE(times.is_by_right(0, 0, at_ms(0), at_ms(5)));
    EXPECT_FALSE(times.is_by_right(0, 0, at_ms(0), at_ms(6)));
    EXPECT_TRUE(times.is_by_right(0, 0, at_ms(8), at_ms(20)));
    EXPECT_TRUE(times.is_by_right(1, 0, at_ms(0), at_ms(20)));
}

}  // namespace
}  // namespace berth
