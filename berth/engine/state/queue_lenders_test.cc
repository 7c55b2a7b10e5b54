// Queues that name their lenders: examples, and over random trees that a queue may borrow as much
// as can be divided so that each borrower has it of its own lenders.
#include <gtest/gtest.h>

#include "berth/base/rng.h"
#include "berth/engine/state/queue_lending.h"
#include "berth/engine/state/queue_quotas.h"
#include "berth/testing/builders.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using Queue = QueueQuotas::Index;
constexpr Queue kTop = QueueQuotas::kNone;

struct Site {
    ClusterSpec spec = testing::make_cluster(1, {.gpus = 8});
    std::vector<Queue> parents;
    std::vector<std::vector<Queue>> lenders;  // By queue; empty: any.

    Queue add(std::int64_t nominal, const std::vector<Queue>& of = {}, Queue parent = kTop,
              std::int64_t guarantee = 0) {
        QueueSpec queue{.name = "q" + std::to_string(parents.size()),
                        .nominal = {{"cpu", nominal}},
                        .guarantee = {{"cpu", guarantee}}};
        for (const Queue lender : of) queue.lenders.push_back("q" + std::to_string(lender));
        spec.accounts.push_back({.name = queue.name});
        spec.queues.push_back(std::move(queue));
        parents.push_back(parent);
        lenders.push_back(of);
        return static_cast<Queue>(parents.size() - 1);
    }
    QueueQuotas made() const {
        QueueQuotas quotas;
        quotas.rebuild(spec, LicenseNumbers(spec), parents);
        return quotas;
    }
    // As if any queue lent to any.
    QueueQuotas made_without_lists() const {
        Site other = *this;
        for (QueueSpec& queue : other.spec.queues) queue.lenders.clear();
        return other.made();
    }
};

TEST(QueueLenders, AloneLendToThoseThatNameThem) {
    Site site;
    const Queue lender = site.add(3);
    const Queue other = site.add(5);
    const Queue borrower = site.add(4, {lender});
    QueueQuotas quotas = site.made();
    EXPECT_EQ(quotas.free_to(borrower, 0), 7);
    EXPECT_EQ(quotas.most_of(borrower, 0), 7);
    EXPECT_EQ(quotas.free_to(other, 0), 12) << "any queue lends to it";
    quotas.use(lender, 0, 2);
    EXPECT_EQ(quotas.free_to(borrower, 0), 5);
    quotas.use(borrower, 0, 5);
    EXPECT_EQ(quotas.free_to(borrower, 0), 0) << "what the other does not use is not lent to it";
    EXPECT_EQ(quotas.free_to(other, 0), 5);
    EXPECT_EQ(lent_by_queues(quotas, 0, 0), (std::vector<std::int64_t>{1, 0, 0}));
    EXPECT_EQ(quotas.free_by_right(lender, 0), 1) << "it has been lent, and is its right";
    quotas.use(lender, 0, 1);
    EXPECT_EQ(quotas.free_to(borrower, 0), 0);
    quotas.use(borrower, 0, -2);
    EXPECT_EQ(quotas.free_to(borrower, 0), 1) << "by right";
}

TEST(QueueLenders, AreSharedByThoseThatNameThem) {
    Site site;
    const Queue b = site.add(3), c = site.add(2);
    const Queue one = site.add(0, {b}), both = site.add(0, {b, c});
    QueueQuotas quotas = site.made();
    EXPECT_EQ(quotas.free_to(both, 0), 5);
    quotas.use(both, 0, 3);
    EXPECT_EQ(quotas.free_to(one, 0), 2) << "two of three may be of c";
    quotas.use(one, 0, 2);
    EXPECT_EQ(quotas.free_to(one, 0), 0);
    EXPECT_EQ(quotas.free_to(both, 0), 0);
    EXPECT_EQ(lent_by_queues(quotas, 0, 0), (std::vector<std::int64_t>{3, 2, 0, 0}));
}

TEST(QueueLenders, ThatAreGoneLendNothing) {
    Site site;
    const Queue lender = site.add(3), borrower = site.add(1, {lender});
    site.spec.queues.back().lenders = {"gone"};
    EXPECT_EQ(site.made().free_to(borrower, 0), 1);
    EXPECT_EQ(site.made().free_to(lender, 0), 4);
}

TEST(QueueLenders, SayThatTheirUseReachesThoseThatNameThem) {
    Site site;
    const Queue lender = site.add(3, {}, kTop, 1);
    site.add(0, {lender});
    QueueQuotas quotas = site.made();
    EXPECT_EQ(quotas.use(lender, 0, 1).beyond_right, lender) << "of its guarantee";
    EXPECT_EQ(quotas.use(lender, 0, 1).beyond_right, kTop);
}

// ---- Random sites.

Site random_site(Rng& rng) {
    Site site;
    std::vector<Queue> tops;
    for (std::int64_t i = 0, count = rng.between(2, 7); i < count; ++i) {
        std::vector<Queue> of;
        const bool is_top = i < 2 || rng.chance(80);
        const Queue parent = is_top ? kTop : static_cast<Queue>(rng.between(0, i - 1));
        for (const Queue lender : tops) {
            if (is_top && rng.chance(40)) of.push_back(lender);
        }
        const std::int64_t nominal = rng.between(0, 8);
        const Queue added = site.add(nominal, of, parent, rng.between(0, nominal));
        if (is_top) tops.push_back(added);
    }
    return site;
}

// Whether what these and other borrowers have can be divided among the lenders that they name.
bool can_be_divided(const Site& site, const QueueQuotas& quotas, Queue borrower) {
    const auto queues = static_cast<Queue>(site.parents.size());
    for (std::uint32_t some = 0; some < (1U << queues); ++some) {
        if ((some >> borrower & 1U) == 0) continue;
        std::int64_t drawn = 0;
        std::vector<bool> lends(queues);
        bool all_name_some = true;
        for (Queue q = 0; q < queues; ++q) {
            if ((some >> q & 1U) == 0) continue;
            all_name_some = all_name_some && !site.lenders[q].empty();
            drawn += quotas.of(q, 0).drawn();
            for (const Queue lender : site.lenders[q]) lends[lender] = true;
        }
        std::int64_t spare = 0;
        for (Queue q = 0; q < queues; ++q) spare += lends[q] ? quotas.of(q, 0).spare() : 0;
        if (all_name_some && drawn > spare) return false;
    }
    return true;
}

// How much the queue may use, found by trying each amount.
std::int64_t most_by_trying(const Site& site, const QueueQuotas& quotas,
                            const QueueQuotas& without_lists, Queue queue) {
    const std::int64_t right = quotas.free_by_right(queue, 0);
    std::int64_t most = 0;
    for (std::int64_t amount = 1; amount <= without_lists.free_to(queue, 0); ++amount) {
        QueueQuotas after = quotas;
        after.use(queue, 0, amount);
        bool fits = true;
        for (Queue a = queue; a != kTop; a = site.parents[a]) {
            const bool draws_more = after.of(a, 0).drawn() > quotas.of(a, 0).drawn();
            if (!site.lenders[a].empty() && draws_more)
                fits = fits && can_be_divided(site, after, a);
        }
        if (amount > right && !fits) break;
        most = amount;
    }
    return most;
}

TEST(QueueLenders, LendWhatCanBeDividedAmongThem) {
    int bounded = 0, overlapping = 0;
    testing::for_each_seed(200, [&](Rng& rng) {
        const Site site = random_site(rng);
        QueueQuotas quotas = site.made(), without_lists = site.made_without_lists();
        if (quotas.lenders().size() > 2) ++overlapping;
        const auto queues = static_cast<std::int64_t>(site.parents.size());
        std::vector<std::int64_t> direct(site.parents.size());
        for (int step = 0; step < 20; ++step) {
            const auto queue = static_cast<Queue>(rng.between(0, queues - 1));
            const std::int64_t most = most_by_trying(site, quotas, without_lists, queue);
            ASSERT_EQ(quotas.free_to(queue, 0), most);
            bounded += most < without_lists.free_to(queue, 0) ? 1 : 0;
            std::int64_t amount = rng.between(1, 5);
            if (direct[queue] >= amount && rng.chance(40)) amount = -amount;
            if (amount > most) continue;
            direct[queue] += amount;
            quotas.use(queue, 0, amount);
            without_lists.use(queue, 0, amount);
        }
        for (Queue q = 0; q < site.parents.size(); ++q) quotas.use(q, 0, -direct[q]);
        EXPECT_EQ(quotas, site.made());
    });
    EXPECT_GT(bounded, testing::scaled(100));
    EXPECT_GT(overlapping, testing::scaled(20));
}

}  // namespace
}  // namespace berth
