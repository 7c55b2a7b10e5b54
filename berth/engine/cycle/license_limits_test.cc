// Limits on licenses while jobs start, end and are edited, and while the configuration changes:
// another license, or another order of them, is never taken for the one that is limited.
#include <gtest/gtest.h>

#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

const PendingReason kOfAccount = reason_for(PendingReason::assoc_grp, "license/matlab");
const PendingReason kOfUser = reason_for(PendingReason::qos_max_user, "license/matlab");
const PendingReason kOfJob = reason_for(PendingReason::qos_min, "license/matlab");
const QosId kGold(1);

using Seats = std::vector<LicenseCount>;

// Accounts physics and art. Physics has 3 seats of matlab; in QOS gold each user has 2 of ansys.
struct LicenseLimits : ::testing::Test {
    static ClusterSpec site() {
        ClusterSpec spec = testing::make_cluster(1);
        spec.licenses = {{"abaqus", 20}, {"ansys", 20}, {"matlab", 20}};
        spec.scheduling.enforce_limits = true;
        for (const char* const name : {"root", "physics", "art"}) {
            spec.accounts.push_back({.name = name, .parent = "root"});
        }
        spec.accounts.edit(1).limits.group_tres = {{"license/matlab", 3}};
        spec.qos.resize(1);
        spec.qos.push_back({.name = "gold"});
        spec.qos[1].limits.max_tres_per_user = {{"license/ansys", 2}};
        return spec;
    }

    JobId submit(const std::string& account, const std::string& user, Seats seats,
                 QosId qos = QosId(0)) {
        Job job;
        job.id = engine.state().next_job_id();
        job.owner = Owner{.uid = 1000, .user = user};
        job.spec = testing::make_job();
        job.spec.account = account;
        job.spec.request.edit().licenses = LicenseRequest{std::move(seats), false};
        job.qos = qos;
        job.time_limit = std::chrono::hours(1);
        engine.apply(kNow, JobSubmitted{job});
        cycle();
        return job.id;
    }
    void install(std::vector<LicenseSpec> licenses) {
        ClusterSpec spec = engine.state().spec();
        spec.licenses = std::move(licenses);
        engine.apply(kNow, SpecInstalled{spec});
        cycle();
    }
    // Sets one limit of the account.
    void limit(std::size_t account, const TresLimits& group_tres) {
        AccountingEdits edits;
        edits.accounts = {engine.state().spec().accounts[account]};
        edits.accounts[0].limits.group_tres = group_tres;
        engine.apply(kNow, AccountingEdited{edits});
        cycle();
    }
    void end(JobId job) {
        testing::finish(engine, kNow, job);
        cycle();
    }
    void cycle() {
        engine.cycle(kNow, kBudget);
        engine.state().check_invariants();
    }
    bool runs(JobId job) const { return engine.state().find_job(job)->state == JobState::running; }
    PendingReason reason(JobId job) const {
        EXPECT_FALSE(runs(job));
        return engine.state().schedule().reason(job);
    }
    const QuotaTree& quota() const { return engine.state().quota(); }
    std::int64_t used(const QuotaUse& use, const std::string& license) const {
        return count_of(use.held->licenses, quota().licenses()->of(license));
    }
    std::int64_t used_by_physics(const std::string& license) const {
        return used(quota().account(1).use, license);
    }

    Engine engine = testing::make_engine(site());
};

TEST_F(LicenseLimits, OfAnAccountHoldUntilARunEnds) {
    const JobId first = submit("physics", "ann", {{"matlab", 2}});
    const JobId other = submit("physics", "ann", {{"ansys", 9}, {"abaqus", 9}});
    const JobId second = submit("physics", "ben", {{"matlab", 2}});
    const JobId elsewhere = submit("art", "ben", {{"matlab", 9}});
    EXPECT_TRUE(runs(first) && runs(other) && runs(elsewhere));
    EXPECT_EQ(reason(second), kOfAccount);
    EXPECT_EQ(used_by_physics("matlab"), 2);
    EXPECT_EQ(used_by_physics("ansys"), 9);
    EXPECT_EQ(used(quota().account(0).use, "matlab"), 11);
    end(other);
    EXPECT_EQ(reason(second), kOfAccount);
    end(first);
    EXPECT_TRUE(runs(second));
    EXPECT_EQ(used_by_physics("matlab"), 2);
    EXPECT_EQ(used_by_physics("ansys"), 0);
}

TEST_F(LicenseLimits, OfEachUserOfAQosHoldInAllAccounts) {
    const JobId first = submit("physics", "ann", {{"ansys", 2}}, kGold);
    const JobId in_art = submit("art", "ann", {{"ansys", 1}}, kGold);
    const JobId of_ben = submit("physics", "ben", {{"ansys", 1}}, kGold);
    const JobId other = submit("art", "ann", {{"abaqus", 3}, {"matlab", 3}}, kGold);
    EXPECT_TRUE(runs(first) && runs(of_ben) && runs(other));
    EXPECT_EQ(reason(in_art), kOfUser);
    const auto ann = quota().place_of(std::string("art"), std::string("ann")).user;
    EXPECT_EQ(used(quota().use_of_qos(kGold, {.user = ann}).of_user, "ansys"), 2);
    EXPECT_EQ(used(quota().use_of_qos(kGold, {.user = ann}).of_user, "matlab"), 3);
    end(of_ben);
    EXPECT_EQ(reason(in_art), kOfUser);
    end(first);
    EXPECT_TRUE(runs(in_art));
}

TEST_F(LicenseLimits, FollowEditsOfTheLimitAndOfTheJob) {
    const JobId first = submit("physics", "ann", {{"matlab", 2}});
    const JobId second = submit("physics", "ben", {{"matlab", 2}});
    limit(1, {{"license/matlab", 4}});
    EXPECT_TRUE(runs(first) && runs(second));
    limit(1, {{"license/ansys", 1}, {"license/matlab", 4}});
    const JobId third = submit("physics", "ben", {{"ansys", 2}});
    EXPECT_EQ(reason(third), kOfAccount);
    JobRequest request = engine.state().find_job(third)->spec.request;
    request.licenses.edit().counts = {{"ansys", 1}};
    engine.apply(kNow, JobUpdated{.job = third, .request = request});
    cycle();
    EXPECT_TRUE(runs(third));
}

// Numbers are given anew then: waiting jobs and runs are counted by the new ones.
TEST_F(LicenseLimits, OnALicenseThatTheClusterHasNotLeaveTheOthersAsTheyAre) {
    const JobId first = submit("physics", "ann", {{"matlab", 2}});
    const JobId second = submit("physics", "ben", {{"matlab", 2}});
    limit(2, {{"license/maple", 1}});
    EXPECT_EQ(used_by_physics("matlab"), 2);
    EXPECT_EQ(reason(second), kOfAccount);
    end(first);
    EXPECT_TRUE(runs(second));
    const JobId in_art = submit("art", "ben", {{"abaqus", 1}, {"ansys", 1}});
    EXPECT_TRUE(runs(in_art));
}

TEST_F(LicenseLimits, CountTheSameWhateverTheOrderOfTheLicenses) {
    const JobId first = submit("physics", "ann", {{"ansys", 7}, {"matlab", 2}});
    const JobId second = submit("physics", "ben", {{"matlab", 2}});
    install({{"matlab", 20}, {"nastran", 20}, {"ansys", 20}, {"abaqus", 20}});
    EXPECT_EQ(used_by_physics("matlab"), 2);
    EXPECT_EQ(used_by_physics("ansys"), 7);
    EXPECT_EQ(reason(second), kOfAccount);
    const JobId third = submit("physics", "ben", {{"nastran", 5}, {"matlab", 1}});
    EXPECT_TRUE(runs(third));
    end(first);
    EXPECT_TRUE(runs(second));
    EXPECT_EQ(used_by_physics("ansys"), 0);
    EXPECT_EQ(used_by_physics("nastran"), 5);
}

TEST_F(LicenseLimits, CountALicenseThatTheClusterNoLongerHas) {
    const JobId first = submit("physics", "ann", {{"ansys", 1}, {"matlab", 2}});
    const JobId second = submit("physics", "ben", {{"matlab", 2}});
    install({{"abaqus", 20}});
    EXPECT_EQ(used_by_physics("matlab"), 2);
    EXPECT_EQ(reason(second), kOfAccount);
    end(first);
    EXPECT_EQ(reason(second), PendingReason::licenses);
    install(site().licenses);
    EXPECT_TRUE(runs(second));
    EXPECT_EQ(used_by_physics("matlab"), 2);
}

// A limit that names it first gives it a number: a job that was waiting before has asked for it.
TEST_F(LicenseLimits, CountWhatAJobAskedForBeforeTheLimitWasSet) {
    const JobId waiting = submit("art", "ben", {{"abaqus", 21}}, kGold);
    install({{"ansys", 20}, {"matlab", 20}});
    EXPECT_EQ(reason(waiting), PendingReason::licenses);
    AccountingEdits edits;
    edits.qos = {engine.state().spec().qos[1]};
    edits.qos[0].limits.min_tres_per_job = {{"license/abaqus", 21}};
    engine.apply(kNow, AccountingEdited{edits});
    cycle();
    EXPECT_EQ(reason(waiting), PendingReason::licenses);
    const JobId without = submit("art", "ben", {{"ansys", 1}}, kGold);
    EXPECT_EQ(reason(without), kOfJob);
}

}  // namespace
}  // namespace berth
