// Quotas of queues: what is lent, borrowed, guaranteed and had by right; and, over random trees,
// against a reckoning from the uses of the queues alone.
#include "berth/engine/state/queue_quotas.h"

#include <gtest/gtest.h>

#include "berth/base/rng.h"
#include "berth/testing/builders.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using Index = QueueQuotas::Index;
constexpr Index kNone = QueueQuotas::kNone;
constexpr std::int64_t kUnlimited = QueueQuotas::kUnlimited;

struct Tree {
    ClusterSpec spec = testing::make_cluster(1, {.gpus = 8});
    std::vector<Index> parents;

    Index add(const std::string& name, Index parent, QueueSpec quota = {}) {
        spec.accounts.push_back({.name = name});
        parents.push_back(parent);
        quota.name = name;
        if (quota != QueueSpec{.name = name}) spec.queues.push_back(std::move(quota));
        return static_cast<Index>(parents.size() - 1);
    }
    QueueQuotas made() const {
        QueueQuotas quotas;
        quotas.rebuild(spec, LicenseNumbers(spec), parents);
        return quotas;
    }
};

TresLimits cpus(std::int64_t count) { return {{"cpu", count}}; }

TEST(QueueQuotas, LendWhatTheyDoNotUse) {
    Tree tree;
    const Index a = tree.add("a", kNone, {.nominal = cpus(10)});
    const Index b = tree.add("b", kNone, {.nominal = cpus(6)});
    QueueQuotas quotas = tree.made();
    EXPECT_EQ(quotas.free_to(a, 0), 16);
    quotas.use(b, 0, 4);
    EXPECT_EQ(quotas.free_to(a, 0), 12);
    EXPECT_EQ(quotas.free_by_right(a, 0), 10);
    quotas.use(a, 0, 12);
    EXPECT_EQ(quotas.free_to(a, 0), 0);
    EXPECT_EQ(quotas.of(a, 0).borrowed(), 2);
    EXPECT_EQ(quotas.free_to(b, 0), 2) << "by right, though a has it now";
    EXPECT_EQ(quotas.free_by_right(b, 0), 2);
    quotas.use(b, 0, 2);
    EXPECT_EQ(quotas.free_to(b, 0), 0) << "nothing is left to borrow";
}

TEST(QueueQuotas, NeverLendWhatIsGuaranteed) {
    Tree tree;
    const Index a = tree.add("a", kNone, {.nominal = cpus(10), .guarantee = cpus(4)});
    const Index b = tree.add("b", kNone, {.nominal = cpus(6), .lend_max = cpus(1)});
    QueueQuotas quotas = tree.made();
    EXPECT_EQ(quotas.free_to(b, 0), 6 + 6) << "all but the guarantee of a";
    EXPECT_EQ(quotas.free_to(a, 0), 10 + 1) << "and what b lends";
    quotas.use(a, 0, 4);
    EXPECT_EQ(quotas.free_to(b, 0), 12) << "a uses its guarantee first";
    quotas.use(a, 0, 1);
    EXPECT_EQ(quotas.free_to(b, 0), 11);
}

TEST(QueueQuotas, AreBoundedByLimitsAndByWhatMayBeBorrowed) {
    Tree tree;
    QueueSpec ratio{.nominal = cpus(64)};
    ratio.borrow_ratio_max = Ppm(250'000);
    const Index a = tree.add("a", kNone, ratio);
    const Index b = tree.add("b", kNone, {.nominal = cpus(64), .borrow_max = cpus(3)});
    const Index c = tree.add("c", kNone, {.nominal = cpus(64), .limit = cpus(70)});
    QueueQuotas quotas = tree.made();
    EXPECT_EQ(quotas.free_to(a, 0), 80);
    EXPECT_EQ(quotas.free_to(b, 0), 67);
    EXPECT_EQ(quotas.free_to(c, 0), 70);
    EXPECT_EQ(quotas.most_of(a, 0), 80);
    quotas.use(a, 0, 80);
    EXPECT_EQ(quotas.free_to(a, 0), 0);
    EXPECT_EQ(quotas.most_of(a, 0), 80);
}

// Kueue's example: 64 A100 and 16 that may be borrowed, and V100 without a bound.
TEST(QueueQuotas, BorrowOnlyWhereThereIsALender) {
    Tree alone;
    const Index a = alone.add("a", kNone, {.nominal = cpus(64), .borrow_max = cpus(16)});
    EXPECT_EQ(alone.made().free_to(a, 0), 64);
    const Index lender = alone.add("b", kNone, {.nominal = cpus(100)});
    EXPECT_EQ(alone.made().free_to(a, 0), 80);
    EXPECT_EQ(alone.made().free_to(lender, 0), 164);
}

TEST(QueueQuotas, ShareTheQuotaOfTheQueueAbove) {
    Tree tree;
    const Index lab = tree.add("lab", kNone, {.nominal = cpus(10)});
    const Index x = tree.add("x", lab, {.nominal = cpus(4)});
    const Index y = tree.add("y", lab);
    const Index other = tree.add("other", kNone, {.nominal = cpus(5), .lend_max = cpus(0)});
    QueueQuotas quotas = tree.made();
    EXPECT_EQ(quotas.free_to(y, 0), 10);
    quotas.use(y, 0, 10);
    EXPECT_EQ(quotas.free_to(y, 0), 0);
    EXPECT_EQ(quotas.free_by_right(x, 0), 0) << "y has all of the lab's by right: it names none";
    EXPECT_EQ(quotas.free_to(other, 0), 5);
    EXPECT_EQ(quotas.of(lab, 0).used, 10);
    EXPECT_EQ(quotas.of(kNone, 0).used, 10);
}

// A sibling that borrows within the lab does not take away what x has by right.
TEST(QueueQuotas, KeepTheRightAgainstSiblings) {
    Tree tree;
    const Index lab = tree.add("lab", kNone);
    const Index x = tree.add("x", lab, {.nominal = cpus(4)});
    const Index y = tree.add("y", lab, {.nominal = cpus(6)});
    QueueQuotas quotas = tree.made();
    EXPECT_EQ(quotas.of(lab, 0).nominal, 10);
    quotas.use(y, 0, 10);
    EXPECT_EQ(quotas.free_by_right(x, 0), 4);
    EXPECT_EQ(quotas.free_by_right(y, 0), 0);
    EXPECT_EQ(quotas.free_to(x, 0), 4);
}

TEST(QueueQuotas, BoundNobodyWithoutOne) {
    Tree tree;
    const Index a = tree.add("a", kNone, {.nominal = cpus(4)});
    const Index free = tree.add("free", kNone);
    QueueQuotas quotas = tree.made();
    EXPECT_EQ(quotas.free_to(free, 0), kUnlimited);
    EXPECT_EQ(quotas.free_by_right(free, 0), 0);
    quotas.use(free, 0, 9);
    EXPECT_EQ(quotas.free_to(a, 0), 4) << "by right";
    EXPECT_EQ(quotas.of(free, 0).borrowed(), 9);
}

TEST(QueueQuotas, SayHowFarAChangeReaches) {
    Tree tree;
    const Index lab = tree.add("lab", kNone, {.nominal = cpus(10), .guarantee = cpus(10)});
    const Index x = tree.add("x", lab, {.nominal = cpus(4), .guarantee = cpus(2)});
    const Index other = tree.add("other", kNone, {.nominal = cpus(5)});
    QueueQuotas quotas = tree.made();
    const auto reach = [&](Index account, std::int64_t amount) {
        const QueueQuotas::Reach of = quotas.use(account, 0, amount);
        return std::pair(of.all, of.beyond_right);
    };
    EXPECT_EQ(reach(x, 1), std::pair(lab, x)) << "what x has by right the lab has";
    EXPECT_EQ(quotas.of(lab, 0).pooled, 0);
    EXPECT_EQ(reach(x, 3), std::pair(lab, lab));
    EXPECT_EQ(quotas.of(lab, 0).pooled, 2);
    EXPECT_EQ(quotas.of(kNone, 0).pooled, 0) << "the guarantee of the lab covers it";
    EXPECT_EQ(reach(other, 1), std::pair(other, kNone)) << "it comes out of what all may borrow";
}

// ---- Random trees.

class Reckoning {
public:
    Reckoning(const Tree& tree, const std::vector<std::int64_t>& direct)
        : tree_(tree), direct_(direct) {}

    std::int64_t used(Index node) const {
        std::int64_t sum = node == kNone ? 0 : direct_[node];
        for (const Index child : children(node)) sum += used(child);
        return sum;
    }
    std::int64_t guarantee(Index node) const {
        return std::max(spec(node) ? count(spec(node)->guarantee) : 0, below(node));
    }
    std::optional<std::int64_t> nominal(Index node) const {
        if (spec(node)) return count(spec(node)->nominal);
        std::optional<std::int64_t> sum;
        for (const Index child : children(node)) {
            if (const auto one = nominal(child)) sum = sum.value_or(0) + *one;
        }
        return sum;
    }
    // What of its use its guarantee does not cover.
    std::int64_t beyond(Index node) const {
        std::int64_t pooled = direct_[node];
        for (const Index child : children(node)) pooled += beyond(child);
        return std::max<std::int64_t>(0, pooled - (guarantee(node) - below(node)));
    }
    std::int64_t lent_out() const {
        std::int64_t pooled = 0;
        for (const Index top : children(kNone)) pooled += beyond(top);
        return pooled;
    }
    std::int64_t in_right(Index node) const {
        std::int64_t sum = direct_[node];
        for (const Index child : children(node)) sum += in_right(child);
        const auto most = nominal(node);
        return most ? std::min(sum, *most) : sum;
    }

private:
    static std::int64_t count(const TresLimits& counts) {
        return counts.empty() ? 0 : counts.front().second;
    }
    std::int64_t below(Index node) const {
        std::int64_t sum = 0;
        for (const Index child : children(node)) sum += nominal(child) ? guarantee(child) : 0;
        return sum;
    }
    std::vector<Index> children(Index node) const {
        std::vector<Index> found;
        for (Index i = 0; i < tree_.parents.size(); ++i)
            if (tree_.parents[i] == node) found.push_back(i);
        return found;
    }
    const QueueSpec* spec(Index node) const {
        for (const QueueSpec& one : tree_.spec.queues)
            if (one.name == tree_.spec.accounts[node].name) return &one;
        return nullptr;
    }

    const Tree& tree_;
    const std::vector<std::int64_t>& direct_;
};

Tree random_tree(Rng& rng) {
    Tree tree;
    const auto queues = rng.between(2, 8);
    for (std::int64_t i = 0; i < queues; ++i) {
        const auto above = rng.between(-2, i - 1);
        const Index parent = above < 0 ? kNone : static_cast<Index>(above);
        QueueSpec quota;
        if (rng.between(0, 3) != 0) {
            const std::int64_t nominal = rng.between(0, 12);
            quota.nominal = cpus(nominal);
            quota.guarantee = cpus(rng.between(0, nominal));
            if (rng.between(0, 2) == 0) quota.limit = cpus(nominal + rng.between(0, 6));
        }
        tree.add("q" + std::to_string(i), parent, quota);
    }
    return tree;
}

TEST(QueueQuotas, AgreeWithAReckoningFromTheUses) {
    int borrowed = 0;
    testing::for_each_seed(300, [&](Rng& rng) {
        const Tree tree = random_tree(rng);
        QueueQuotas quotas = tree.made();
        if (quotas.tres().empty()) return;
        const auto queues = static_cast<std::int64_t>(tree.parents.size());
        std::vector<std::int64_t> direct(tree.parents.size());
        for (int step = 0; step < 40; ++step) {
            const auto queue = static_cast<Index>(rng.between(0, queues - 1));
            std::int64_t amount = rng.between(1, 5);
            if (direct[queue] >= amount && rng.between(0, 2) == 0) {
                amount = -amount;
            } else if (amount > quotas.free_to(queue, 0)) {
                continue;
            }
            direct[queue] += amount;
            quotas.use(queue, 0, amount);
            const Reckoning reckoned(tree, direct);
            ASSERT_EQ(quotas.of(kNone, 0).pooled, reckoned.lent_out());
            for (Index i = 0; i < tree.parents.size(); ++i) {
                const QueueQuotas::Quota& quota = quotas.of(i, 0);
                ASSERT_EQ(quota.used, reckoned.used(i));
                ASSERT_EQ(quota.nominal, reckoned.nominal(i));
                ASSERT_LE(quota.used, quota.limit);
                const std::int64_t right =
                    quota.nominal ? std::min(quota.by_right, *quota.nominal) : quota.by_right;
                ASSERT_EQ(right, reckoned.in_right(i));
                if (quota.nominal && quota.borrowed() > 0) ++borrowed;
                // Nobody is kept from what its guarantee still covers, but by a limit.
                std::int64_t room = kUnlimited;
                for (Index a = i; a != kNone; a = tree.parents[a])
                    room = std::min(room, quotas.of(a, 0).limit - quotas.of(a, 0).used);
                const std::int64_t kept = std::max<std::int64_t>(0, quota.kept - quota.pooled);
                ASSERT_GE(quotas.free_to(i, 0), std::min(kept, room));
            }
        }
        for (Index i = 0; i < tree.parents.size(); ++i) quotas.use(i, 0, -direct[i]);
        EXPECT_EQ(quotas, tree.made());
    });
    EXPECT_GT(borrowed, testing::scaled(500));
}

}  // namespace
}  // namespace berth
