// The quota tree: who counts a job, which limits apply where, and whom a change concerns.
#include "berth/engine/state/quota_tree.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"

namespace berth {
namespace {

using TreeIndex = QuotaTree::Index;

// root ── science ── physics (ann, ben), biology (ann)
//      └─ art (cleo)
ClusterSpec counted_site() {
    ClusterSpec spec = testing::make_cluster(1, {.gpus = 4});
    spec.scheduling.enforce_limits = true;
    spec.licenses = {{"ansys", 9}, {"matlab", 9}};
    spec.accounts.push_back({.name = "root"});
    spec.accounts.push_back({.name = "science", .parent = "root"});
    spec.accounts.push_back({.name = "physics", .parent = "science"});
    spec.accounts.push_back({.name = "biology", .parent = "science"});
    spec.accounts.push_back({.name = "art", .parent = "root"});
    spec.associations.push_back({.account = "physics", .user = "ann"});
    spec.qos.resize(1);
    spec.qos.push_back({.name = "gold"});
    return spec;
}
enum : TreeIndex { kRoot, kScience, kPhysics, kBiology, kArt };
enum : TreeIndex { kAnn, kBen, kAnnOfBiology, kCleo };

QuotaTree tree_of(const ClusterSpec& spec) {
    QuotaTree tree;
    tree.rebuild(spec);
    if (!tree.enforced()) return tree;
    tree.add_leaf("physics", "ann");
    tree.add_leaf("physics", "ben");
    tree.add_leaf("biology", "ann");
    tree.add_leaf("art", "cleo");
    return tree;
}

Job job(std::uint32_t id, QosId qos = QosId(0)) {
    Job made;
    made.id = JobId(id);
    made.qos = qos;
    return made;
}

Job running(std::uint32_t id, std::int64_t cpus, QosId qos = QosId(0)) {
    Job made = job(id, qos);
    made.state = JobState::running;
    made.allocation.emplace();
    made.allocation->licenses = {{"matlab", 2}};
    made.nodes = {NodeId(0)};
    made.allocated.edit().set_cpu(cores(cpus));
    return made;
}

TEST(QuotaTree, CountsNothingWithoutLimits) {
    ClusterSpec spec = counted_site();
    EXPECT_FALSE(tree_of(spec).enforced());
    spec.accounts.edit(kScience).limits.group_jobs = 3;
    EXPECT_TRUE(tree_of(spec).enforced());
    spec.scheduling.enforce_limits = false;
    EXPECT_FALSE(tree_of(spec).enforced());
}

TEST(QuotaTree, CountsARunInItsLeafAndEachAccountAboveIt) {
    ClusterSpec spec = counted_site();
    spec.accounts.edit(kScience).limits.group_jobs = 3;
    QuotaTree tree = tree_of(spec);
    tree.add(job(1), kBen);
    tree.add(running(2, 4), kAnn);
    tree.add(running(3, 1), kAnnOfBiology);
    EXPECT_EQ(tree.use_of_leaf(kAnn).running, 1);
    EXPECT_EQ(tree.account(kPhysics).use.submitted, 2);
    EXPECT_EQ(tree.account(kPhysics).use.held->amount.cpu(), cores(4));
    EXPECT_EQ(tree.account(kScience).use.held->amount.cpu(), cores(5));
    EXPECT_EQ(tree.account(kRoot).use.running, 2);
    EXPECT_EQ(tree.account(kArt).use, QuotaUse{});
    EXPECT_EQ(tree.account(kScience).use.held->licenses, (LicenseCounts{0, 4}));

    tree.remove(running(2, 4), kAnn);
    tree.remove(running(3, 1), kAnnOfBiology);
    tree.remove(job(1), kBen);
    for (const TreeIndex account : {kRoot, kScience, kPhysics, kBiology}) {
        EXPECT_EQ(tree.account(account).use, QuotaUse{});
    }
}

TEST(QuotaTree, CountsLicensesOfTheClusterThenThoseThatOnlyLimitsName) {
    ClusterSpec spec = counted_site();
    spec.licenses = {{"ansys", 9}, {"abaqus", 9}};
    spec.accounts.edit(kScience).limits.group_tres = {{"license/matlab", 3}};
    QuotaTree tree = tree_of(spec);
    EXPECT_EQ(tree.licenses()->of("ansys"), 0U);
    EXPECT_EQ(tree.licenses()->of("matlab"), 2U);
    EXPECT_EQ(tree.licenses()->of("maple"), LicenseNumbers::kNone);
    EXPECT_EQ(tree.account(kScience).limits->group.front().license, 2U);
    Job run = running(1, 1);
    run.allocation->licenses = {{"maple", 5}, {"matlab", 2}, {"abaqus", 1}};
    tree.add(run, kAnn);
    EXPECT_EQ(tree.account(kRoot).use.held->licenses, (LicenseCounts{0, 1, 2}));
    tree.set_aside(run, kAnn);
    EXPECT_EQ(tree.account(kRoot).use, QuotaUse{});
    tree.put_back(run, kAnn);
    tree.add(running(2, 1), kAnn);
    EXPECT_EQ(tree.account(kRoot).use.held->licenses, (LicenseCounts{0, 1, 4}));
}

TEST(QuotaTree, CountsTheLicensesOfTheNextRunOfAJob) {
    ClusterSpec spec = counted_site();
    spec.accounts.edit(kScience).limits.group_jobs = 3;
    QuotaTree tree = tree_of(spec);
    tree.add(running(1, 1), kAnn);
    tree.remove(running(1, 1), kAnn);
    tree.add(job(1), kAnn);  // Requeued.
    tree.remove(job(1), kAnn);
    Job again = running(1, 1);
    again.allocation->licenses = {{"ansys", 1}};
    tree.add(again, kAnn);
    EXPECT_EQ(tree.account(kScience).use.held->licenses, LicenseCounts{1});
}

TEST(QuotaTree, TellsLimitsOnDifferentTresApart) {
    ClusterSpec spec = counted_site();
    // The cluster has GPUs of one type, so the first two count the same devices.
    spec.accounts.edit(kArt).limits.group_tres = {{"gres/gpu", 1},      {"gres/gpu:a100", 1},
                                                  {"license/ansys", 1}, {"license/matlab", 1},
                                                  {"cpu", 1},           {"mem", 1}};
    const QuotaTree tree = tree_of(spec);
    const TresLimitList& limits = tree.account(kArt).limits->group;
    for (std::size_t a = 0; a < limits.size(); ++a) {
        for (std::size_t b = 0; b < limits.size(); ++b) {
            EXPECT_EQ(is_same_tres(limits[a], limits[b]), a == b) << a << " " << b;
        }
    }
}

TEST(QuotaTree, IsMadeAnewWhereALimitNamesALicenseThatTheClusterHasNot) {
    ClusterSpec spec = counted_site();
    spec.accounts.edit(kScience).limits.group_jobs = 3;
    QuotaTree tree = tree_of(spec);
    AccountingEdits edits;
    edits.accounts.push_back(spec.accounts[kArt]);
    edits.accounts.back().limits.group_tres = {{"license/matlab", 2}};
    apply_edits(spec, edits);
    EXPECT_TRUE(tree.take_edits(spec, edits));
    edits.accounts.back().limits.group_tres = {{"license/maple", 2}};
    apply_edits(spec, edits);
    EXPECT_FALSE(tree.take_edits(spec, edits));
}

TEST(QuotaTree, CountsEachTaskOfAWaitingArray) {
    ClusterSpec spec = counted_site();
    spec.accounts.edit(kRoot).limits.group_submitted = 9;
    QuotaTree tree = tree_of(spec);
    Job array = job(1);
    array.spec.array.emplace();
    array.spec.array->tasks = {1, 2, 5};
    tree.add(array, kCleo);
    EXPECT_EQ(tree.account(kRoot).use.submitted, 3);
}

TEST(QuotaTree, CountsUsersAndAccountsOfAQosThatLimitsThem) {
    ClusterSpec spec = counted_site();
    spec.qos[1].limits.max_tres_per_user = {{"cpu", 8}};
    QuotaTree tree = tree_of(spec);
    const QosId gold(1);
    tree.add(running(1, 2, gold), kAnn);
    tree.add(running(2, 3, gold), kAnnOfBiology);
    tree.add(running(3, 1), kAnn);  // Of a QOS without limits.
    const QuotaTree::Place of_ann = tree.place_of(kAnn);
    EXPECT_EQ(tree.use_of_qos(gold, of_ann).of_user.held->amount.cpu(), cores(5));
    EXPECT_EQ(tree.use_of_qos(gold, of_ann).all.running, 2);
    EXPECT_EQ(tree.use_of_qos(QosId(0), of_ann).of_user, QuotaUse{});
    // It does not limit accounts.
    EXPECT_EQ(tree.use_of_qos(gold, of_ann).of_account, QuotaUse{});
}

TEST(QuotaTree, TakesEachLimitOfAUserFromTheNearestHolder) {
    ClusterSpec spec = counted_site();
    spec.accounts.edit(kRoot).limits.max_jobs = 9;
    spec.accounts.edit(kRoot).limits.max_tres_per_job = {{"cpu", 90}, {"gres/gpu", 9}};
    spec.accounts.edit(kPhysics).limits.max_tres_per_job = {{"cpu", 50}};
    spec.accounts.edit(kPhysics).limits.group_jobs = 7;
    spec.associations.edit(0).limits.max_jobs = 1;
    const QuotaTree tree = tree_of(spec);

    const QuotaLimits* const ann = tree.nearest_limits(tree.place_of(kAnn));
    ASSERT_NE(ann, nullptr);
    EXPECT_EQ(ann->max_jobs, 1U);
    ASSERT_EQ(ann->per_job.size(), 2U);
    EXPECT_EQ(ann->per_job[0].most, 50);
    EXPECT_EQ(ann->per_job[1].most, 9);
    EXPECT_FALSE(ann->group_jobs);  // A group limit stays with its holder.
    const QuotaLimits* const ben = tree.nearest_limits(tree.place_of(kBen));
    EXPECT_EQ(ben->max_jobs, 9U);
    EXPECT_EQ(tree.account(kPhysics).limits->group_jobs, 7U);
    EXPECT_EQ(tree.account(kBiology).limits, nullptr);
    EXPECT_EQ(tree.nearest_limits(tree.place_of("nowhere", "ann")), nullptr);
}

TEST(QuotaTree, TellsWhomARunConcerns) {
    ClusterSpec spec = counted_site();
    spec.accounts.edit(kScience).limits.group_tres = {{"cpu", 8}};
    QuotaTree tree = tree_of(spec);
    EXPECT_TRUE(tree.take_news().all);  // It is new.
    tree.add(job(1), kAnn);             // Waits: it uses nothing.
    EXPECT_TRUE(tree.take_news().none());
    tree.add(running(2, 1), kCleo);
    EXPECT_EQ(tree.take_news().leaves, std::vector<TreeIndex>{kCleo});
    tree.add(running(3, 1), kBen);
    EXPECT_EQ(tree.take_news().leaves, (std::vector<TreeIndex>{kAnn, kBen, kAnnOfBiology}));
    EXPECT_TRUE(tree.take_news().none());
}

TEST(QuotaTree, TellsWhomARunOfAQueueConcerns) {
    ClusterSpec spec = counted_site();
    for (const TreeIndex top : {kScience, kArt}) spec.accounts.edit(top).parent.clear();
    spec.queues = {{.name = "science", .nominal = {{"cpu", 8}}},
                   {.name = "art", .nominal = {{"cpu", 4}}}};
    QuotaTree tree = tree_of(spec);
    (void)tree.take_news();
    tree.add(running(1, 1), kCleo);  // Of art.
    const QuotaTree::News news = tree.take_news();
    EXPECT_EQ(news.leaves, std::vector<TreeIndex>{kCleo});
    EXPECT_EQ(news.leaves_beyond_right, (std::vector<TreeIndex>{kAnn, kBen, kAnnOfBiology}))
        << "what art does not use, science may borrow";
}

TEST(QuotaTree, FollowsAnEditOfLimitsBelowTheAccount) {
    ClusterSpec spec = counted_site();
    spec.accounts.edit(kScience).limits.max_jobs = 5;
    spec.associations.edit(0).limits.group_jobs = 3;
    QuotaTree tree = tree_of(spec);
    tree.add(running(1, 2), kAnn);
    (void)tree.take_news();
    AccountingEdits edits;
    edits.accounts.push_back(spec.accounts[kScience]);
    edits.accounts.back().limits.max_jobs = 2;
    apply_edits(spec, edits);
    ASSERT_TRUE(tree.take_edits(spec, edits));
    for (const TreeIndex leaf : {kAnn, kBen, kAnnOfBiology}) {
        EXPECT_EQ(tree.nearest_limits(tree.place_of(leaf))->max_jobs, 2U);
    }
    EXPECT_EQ(tree.take_news().leaves, (std::vector<TreeIndex>{kAnn, kBen, kAnnOfBiology}));
    EXPECT_EQ(tree.account(kScience).use.running, 1);
    edits.accounts.back().parent = "art";  // Other accounts count its runs.
    apply_edits(spec, edits);
    EXPECT_FALSE(tree.take_edits(spec, edits));
}

TEST(QuotaTree, TellsWhomARunOfAQosConcerns) {
    ClusterSpec spec = counted_site();
    const QosId gold(1);
    const auto concerned = [&](const Limits& limits) {
        spec.qos[1].limits = limits;
        QuotaTree tree = tree_of(spec);
        tree.add(running(1, 1, gold), kAnn);
        return tree.take_news();
    };
    EXPECT_EQ(concerned({.max_jobs = 1}).leaves, (std::vector<TreeIndex>{kAnn, kAnnOfBiology}));
    EXPECT_EQ(concerned({.max_jobs_per_account = 1}).leaves, (std::vector<TreeIndex>{kAnn, kBen}));
    const QuotaTree::News all = concerned({.group_jobs = 1});
    EXPECT_EQ(all.leaves, std::vector<TreeIndex>{kAnn});
    EXPECT_EQ(all.qos, std::vector<QosId>{gold});
}

TEST(QuotaTree, DropsTheLastLeaf) {
    ClusterSpec spec = counted_site();
    spec.qos[1].limits.max_jobs = 1;
    QuotaTree tree = tree_of(spec);
    tree.add_leaf("art", "ann");
    tree.drop_last_leaf();
    tree.add(running(1, 1, QosId(1)), kAnn);
    EXPECT_EQ(tree.take_news().leaves, (std::vector<TreeIndex>{kAnn, kAnnOfBiology}));
}

TEST(QuotaTree, EndsWhereAccountsStandInACircle) {
    ClusterSpec spec = counted_site();
    spec.accounts.edit(kScience).parent = "physics";
    spec.accounts.edit(kScience).limits.group_jobs = 1;
    QuotaTree tree = tree_of(spec);
    tree.add(running(1, 1), kAnn);
    EXPECT_EQ(tree.account(kPhysics).use.running, 1);
}

}  // namespace
}  // namespace berth
