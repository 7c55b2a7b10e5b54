// What queues lend: examples, and over random trees that what is borrowed was lent.
#include "berth/engine/state/queue_lending.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using QueueIndex = QueueQuotas::Index;
using LentAmounts = std::vector<std::int64_t>;
constexpr QueueIndex kNoQueue = QueueQuotas::kNone;

struct Lenders {
    ClusterSpec spec = testing::make_cluster(1, {.gpus = 8});
    std::vector<QueueIndex> parents;

    // `nominal` -1: no quota.
    QueueIndex add(QueueIndex parent, std::int64_t nominal, std::int64_t guarantee = 0) {
        const std::string name = "q" + std::to_string(parents.size());
        spec.accounts.push_back({.name = name});
        parents.push_back(parent);
        if (nominal >= 0) {
            spec.queues.push_back(
                {.name = name, .nominal = {{"cpu", nominal}}, .guarantee = {{"cpu", guarantee}}});
        }
        return static_cast<QueueIndex>(parents.size() - 1);
    }
    QueueQuotas made() const {
        QueueQuotas quotas;
        quotas.rebuild(spec, LicenseNumbers(spec), parents);
        return quotas;
    }
};

TEST(QueueLending, IsInProportionToWhatIsSpare) {
    Lenders tree;
    const QueueIndex a = tree.add(kNoQueue, 4);
    const QueueIndex b = tree.add(kNoQueue, 8);
    tree.add(kNoQueue, 5, 1);
    QueueQuotas quotas = tree.made();
    EXPECT_EQ(lent_by_queues(quotas, 0, 0), (LentAmounts{0, 0, 0}));
    quotas.use(a, 0, 10);  // Six of 8 + 4 that are spare.
    EXPECT_EQ(lent_by_queues(quotas, 0, 0), (LentAmounts{0, 4, 2}));
    quotas.use(b, 0, 6);  // Six of 2 + 4.
    EXPECT_EQ(lent_by_queues(quotas, 0, 0), (LentAmounts{0, 2, 4}));
    EXPECT_EQ(lent_by_queues(quotas, 0, 4), (LentAmounts{0, 2, 4}))
        << "a queue with a quota borrows of queues alone";
}

TEST(QueueLending, GoesDownTheTree) {
    Lenders tree;
    const QueueIndex lab = tree.add(kNoQueue, 10);
    const QueueIndex vision = tree.add(lab, 4);
    tree.add(lab, 4);
    const QueueIndex guests = tree.add(kNoQueue, -1);
    QueueQuotas quotas = tree.made();
    quotas.use(vision, 0, 6);  // Two that no queue of the lab has by right.
    EXPECT_EQ(lent_by_queues(quotas, 0, 0), (LentAmounts{0, 0, 0, 0}));
    quotas.use(guests, 0, 3);
    EXPECT_EQ(lent_by_queues(quotas, 0, 0), (LentAmounts{3, 0, 3, 0}));
    EXPECT_EQ(lent_by_queues(quotas, 0, 1), (LentAmounts{2, 0, 2, 0}));
    quotas.use(lab, 0, 1);  // Its own jobs, out of what its queues have to spare.
    EXPECT_EQ(lent_by_queues(quotas, 0, 0), (LentAmounts{3, 0, 4, 0}));
}

TEST(QueueLending, IsNoMoreThanThereIs) {
    Lenders tree;
    const QueueIndex a = tree.add(kNoQueue, 2);
    tree.add(kNoQueue, 3, 1);
    QueueQuotas quotas = tree.made();
    quotas.use(a, 0, 9);
    EXPECT_EQ(lent_by_queues(quotas, 0, 0), (LentAmounts{0, 2}));
}

struct RandomLenders {
    Lenders tree;
    QueueQuotas quotas;
    std::vector<QueueIndex> leaves;
};

// What the queues use of the pool that all lend to, beyond what it has.
bool is_overdrawn(const QueueQuotas& quotas) {
    const QueueQuotas::Quota& root = quotas.of(kNoQueue, 0);
    return root.pooled > *root.nominal - root.guarantee;
}

// Quotas that add up, and uses that they allow, once what was lent is reclaimed.
RandomLenders random_lenders(Rng& rng) {
    RandomLenders all;
    for (int top = 0; top < 3; ++top) {
        const std::int64_t nominal = rng.between(2, 20);
        const QueueIndex queue = all.tree.add(kNoQueue, nominal, 0);
        std::int64_t left = nominal;
        for (std::int64_t n = rng.between(0, 3); n > 0; --n) {
            const std::int64_t own = rng.between(0, left);
            left -= own;
            all.leaves.push_back(all.tree.add(queue, own, rng.between(0, own)));
        }
        if (all.tree.parents.size() == queue + 1U) all.leaves.push_back(queue);
    }
    all.quotas = all.tree.made();
    for (int i = 0; i < 30; ++i) {
        const QueueIndex leaf = rng.pick(all.leaves);
        const std::int64_t free = all.quotas.free_to(leaf, 0);
        const std::int64_t more = free > 0 ? rng.between(1, free) : 0;
        all.quotas.use(leaf, 0, more);
        if (is_overdrawn(all.quotas)) all.quotas.use(leaf, 0, -more);
        const std::int64_t used = all.quotas.of(leaf, 0).used;
        if (used > 0 && rng.chance(40)) all.quotas.use(leaf, 0, -rng.between(1, used));
    }
    return all;
}

TEST(QueueLending, IsWhatIsBorrowed) {
    std::int64_t lent_in_all = 0;
    testing::for_each_seed(300, [&](Rng& rng) {
        const RandomLenders all = random_lenders(rng);
        const LentAmounts lent = lent_by_queues(all.quotas, 0, 0);
        std::int64_t borrowed = 0, lent_at_top = 0;
        for (QueueIndex a = 0; a < lent.size(); ++a) {
            const QueueQuotas::Quota& quota = all.quotas.of(a, 0);
            EXPECT_GE(lent[a], 0);
            EXPECT_TRUE(quota.borrowed() == 0 || lent[a] == 0) << "it borrows and lends";
            EXPECT_LE(quota.used + lent[a], std::max(*quota.nominal, quota.used));
            if (all.tree.parents[a] != kNoQueue) continue;
            borrowed += quota.borrowed();
            lent_at_top += lent[a];
        }
        EXPECT_EQ(lent_at_top, borrowed);
        lent_in_all += lent_at_top;
    });
    EXPECT_GT(lent_in_all, testing::scaled(300));
}

}  // namespace
}  // namespace berth
