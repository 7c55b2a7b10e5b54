// Jobs that wait for limits and quotas: they have a planned start, no plan goes beyond a limit, and
// nobody of the same holder starts where that would delay one.
#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/engine/explain/explain.h"
#include "berth/engine/explain/will_run.h"
#include "berth/engine/plan/check_limits.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

struct PlannedAhead : ::testing::Test {
    // Two nodes with 8 GPUs each; account lab below root.
    static ClusterSpec site() {
        ClusterSpec spec = testing::make_cluster(2);
        spec.scheduling.enforce_limits = true;
        spec.scheduling.kill_wait = {};  // So planned starts have no slack.
        spec.accounts.push_back({.name = "root", .parent = ""});
        spec.accounts.push_back({.name = "lab", .parent = "root"});
        spec.associations.push_back({.account = "lab", .user = "ann"});
        spec.associations.push_back({.account = "lab", .user = "ben"});
        return spec;
    }
    void start(ClusterSpec spec) { engine = testing::make_engine(std::move(spec), kNow); }

    Job made(std::int64_t gpus, Duration limit, const std::string& user = "ann",
             std::uint32_t nodes = 1) {
        JobSpec spec = testing::make_job({.nodes = nodes, .gpus = gpus, .limit = limit});
        spec.account = "lab";
        const Principal who{.uid = 1000, .gid = 1000, .user = user, .group = "users"};
        auto admitted = admit(engine.state(), now, who, spec);
        return std::get<Job>(admitted);
    }
    JobId submit(std::int64_t gpus, Duration limit, const std::string& user = "ann") {
        const Job job = made(gpus, limit, user);
        engine.apply(now, JobSubmitted{job});
        return job.id;
    }
    void cycle(Duration later = {}) {
        now += later;
        for (bool complete = false; !complete;) complete = engine.cycle(now, kBudget).complete;
        EXPECT_EQ(check_plan(engine.state(), now), std::nullopt);
    }
    void finish(JobId job, Duration later) {
        now += later;
        testing::finish(engine, now, job);
        cycle();
    }
    void limit(const TresLimits& group_tres) {
        AccountingEdits edits;
        edits.accounts = {engine.state().spec().accounts[1]};
        edits.accounts[0].limits.group_tres = group_tres;
        engine.apply(now, AccountingEdited{edits});
        cycle();
    }

    bool runs(JobId job) const { return engine.state().find_job(job)->allocation.has_value(); }
    // From kNow on; nullopt: it has none.
    std::optional<Duration> planned(JobId job) const {
        const PlannedStart* const start = engine.state().schedule().planned(job);
        if (start == nullptr) return std::nullopt;
        return start->start - kNow;
    }
    PendingReason reason(JobId job) const { return engine.state().schedule().reason(job); }

    Engine engine;
    Time now = kNow;
};

TEST_F(PlannedAhead, AJobThatWaitsForALimitHasADate) {
    ClusterSpec spec = site();
    spec.accounts.edit(1).limits.group_tres = {{"gres/gpu", 4}};
    start(std::move(spec));
    const JobId one = submit(4, hours(1)), two = submit(4, hours(1)), three = submit(2, hours(1));
    cycle();
    EXPECT_TRUE(runs(one));
    EXPECT_EQ(planned(two), hours(1));
    EXPECT_EQ(reason(two), reason_for(PendingReason::assoc_grp, "gres/gpu"));
    EXPECT_EQ(planned(three), hours(2)) << "beside the second it would be 6 of 4";
}

// On an empty cluster the plan would have had all of them side by side.
TEST_F(PlannedAhead, JobsOfOneUserArePlannedOneAfterAnother) {
    ClusterSpec spec = site();
    spec.associations.edit(0).limits.max_jobs = 1;
    start(std::move(spec));
    const JobId one = submit(1, hours(1)), two = submit(1, hours(1)), three = submit(1, hours(1));
    const JobId other = submit(1, hours(1), "ben");
    cycle();
    EXPECT_TRUE(runs(one) && runs(other));
    EXPECT_EQ(planned(two), hours(1));
    EXPECT_EQ(planned(three), hours(2));
}

// Nodes are free for none of them at first: no limit blocks, and still they are not planned beyond
// it.
TEST_F(PlannedAhead, AJobThatNoLimitBlocksIsNotPlannedBeyondOne) {
    ClusterSpec spec = site();
    spec.associations.edit(0).limits.group_tres = {{"gres/gpu", 8}};
    start(std::move(spec));
    const JobId long_ones[] = {submit(8, hours(1), "ben"), submit(8, hours(1), "ben")};
    cycle();
    EXPECT_TRUE(runs(long_ones[0]) && runs(long_ones[1]));
    const JobId one = submit(8, hours(1)), two = submit(8, hours(1));
    cycle();
    EXPECT_EQ(planned(one), hours(1));
    EXPECT_EQ(planned(two), hours(2)) << "the other node is free before, the limit is not";
}

TEST_F(PlannedAhead, NobodyTakesOfTheLimitWhatAPlannedStartNeeds) {
    ClusterSpec spec = site();
    spec.accounts.edit(1).limits.group_tres = {{"gres/gpu", 4}};
    start(std::move(spec));
    const JobId run = submit(2, hours(1)), large = submit(4, hours(1));
    cycle();
    ASSERT_TRUE(runs(run));
    ASSERT_EQ(planned(large), hours(1));
    const JobId longer = submit(2, hours(2), "ben"), shorter = submit(2, minutes(30), "ben");
    cycle();
    EXPECT_TRUE(runs(shorter)) << "it is over before";
    EXPECT_FALSE(runs(longer));
    EXPECT_EQ(planned(large), hours(1));
    EXPECT_EQ(planned(longer), hours(2));
    const Explanation why = explain(engine, now, longer);
    const auto says = [](const Blocker& blocker) { return blocker.text.starts_with("Its limits"); };
    EXPECT_EQ(std::ranges::count_if(why.blockers, says), 0) << "a limit blocks it now, too";
    finish(shorter, minutes(1));
    const auto blockers = explain(engine, now, longer).blockers;
    const auto found = std::ranges::find_if(blockers, says);
    ASSERT_NE(found, blockers.end());
    EXPECT_EQ(found->text,
              "Its limits leave enough now, but within its time limit that is planned for jobs "
              "before it: " +
                  to_string(large) + ".");
}

// --time-min: what is left of the limit before a planned start is enough for a shorter run.
TEST_F(PlannedAhead, AJobThatTakesLessStartsBeforeAPlannedStart) {
    ClusterSpec spec = site();
    spec.accounts.edit(1).limits.group_tres = {{"gres/gpu", 4}};
    start(std::move(spec));
    submit(2, hours(1));
    const JobId ends_early = submit(2, hours(1)), large = submit(4, hours(1));
    Job elastic = made(2, hours(2));
    elastic.spec.time_min = minutes(10);
    engine.apply(now, JobSubmitted{elastic});
    cycle();
    ASSERT_FALSE(runs(elastic.id));
    finish(ends_early, minutes(5));
    ASSERT_TRUE(runs(elastic.id));
    EXPECT_EQ(engine.state().find_job(elastic.id)->time_limit, minutes(55));
    EXPECT_EQ(planned(large), hours(1));
}

TEST_F(PlannedAhead, AnEarlyEndMovesItUp) {
    ClusterSpec spec = site();
    spec.accounts.edit(1).limits.group_jobs = 1;
    start(std::move(spec));
    const JobId one = submit(1, hours(3)), two = submit(1, hours(1)), three = submit(1, hours(1));
    cycle();
    ASSERT_EQ(planned(two), hours(3));
    finish(one, minutes(10));
    EXPECT_TRUE(runs(two));
    EXPECT_EQ(planned(three), hours(1) + minutes(10));
}

TEST_F(PlannedAhead, ItFollowsEditsOfTheLimit) {
    start(site());
    limit({{"gres/gpu", 4}});
    const JobId one = submit(4, hours(1)), two = submit(4, hours(1)), three = submit(4, hours(1));
    cycle();
    ASSERT_TRUE(runs(one));
    EXPECT_EQ(planned(three), hours(2));
    limit({{"gres/gpu", 8}});
    EXPECT_TRUE(runs(two));
    EXPECT_EQ(planned(three), hours(1)) << "beside no other";
    limit({{"gres/gpu", 4}});
    EXPECT_EQ(planned(three), hours(1)) << "both have ended by then";
    const JobId four = submit(4, hours(1));
    cycle();
    EXPECT_EQ(planned(four), hours(2));
    limit({{"gres/gpu", 3}});
    EXPECT_EQ(planned(three), std::nullopt) << "never, under this limit";
    EXPECT_EQ(planned(four), std::nullopt);
}

TEST_F(PlannedAhead, LimitsOfAQosCountItsUsersAndOverrideTheAccounts) {
    ClusterSpec spec = site();
    spec.qos[0].limits.max_tres_per_user = {{"gres/gpu", 2}};
    spec.qos[0].limits.group_jobs = 10;
    spec.accounts.edit(1).limits.group_jobs = 1;  // Overridden.
    start(std::move(spec));
    const JobId one = submit(2, hours(1)), two = submit(2, hours(1)),
                other = submit(2, hours(1), "ben");
    cycle();
    EXPECT_TRUE(runs(one) && runs(other));
    EXPECT_EQ(planned(two), hours(1));
    EXPECT_EQ(reason(two), reason_for(PendingReason::qos_max_user, "gres/gpu"));
}

TEST_F(PlannedAhead, QuotasOfQueuesBoundThePlan) {
    ClusterSpec spec = site();
    spec.accounts.push_back({.name = "art", .parent = "root"});
    spec.queues = {{.name = "lab", .nominal = {{"gres/gpu", 4}}},
                   {.name = "art", .nominal = {{"gres/gpu", 4}}, .lend_max = {{"gres/gpu", 2}}}};
    start(std::move(spec));
    const JobId borrows = submit(6, hours(1));
    cycle();
    const JobId two = submit(4, hours(1)), three = submit(4, hours(1));
    cycle();
    EXPECT_TRUE(runs(borrows));
    EXPECT_EQ(planned(two), hours(1));
    EXPECT_EQ(planned(three), hours(2)) << "8 of the 6 that there are for it";
}

TEST_F(PlannedAhead, OnlyAStartOnLentQuotaIsTentative) {
    ClusterSpec spec = site();
    spec.accounts.push_back({.name = "art", .parent = "root"});
    spec.queues = {{.name = "lab", .nominal = {{"gres/gpu", 4}}},
                   {.name = "art", .nominal = {{"gres/gpu", 4}}}};
    start(std::move(spec));
    submit(4, hours(1));
    submit(4, hours(1));
    cycle();
    const JobId borrows = submit(8, hours(1)), by_right = submit(4, hours(1));
    cycle();
    EXPECT_EQ(planned(borrows), hours(1));
    EXPECT_TRUE(explain(engine, now, borrows).tentative);
    EXPECT_EQ(planned(by_right), hours(2));
    EXPECT_FALSE(explain(engine, now, by_right).tentative);
}

TEST_F(PlannedAhead, WithoutAnEndThereIsNoDate) {
    ClusterSpec spec = site();
    spec.accounts.edit(1).limits.group_jobs = 1;
    start(std::move(spec));
    const JobId endless = submit(1, Duration::max()), two = submit(1, hours(1));
    cycle();
    EXPECT_TRUE(runs(endless));
    EXPECT_EQ(planned(two), std::nullopt);
    EXPECT_EQ(reason(two), PendingReason::assoc_grp_jobs);
    finish(endless, minutes(5));
    EXPECT_TRUE(runs(two));
}

TEST_F(PlannedAhead, WhatNoTimeCuresHasNoDate) {
    ClusterSpec spec = site();
    spec.accounts.edit(1).limits.max_tres_per_job = {{"gres/gpu", 1}};
    spec.accounts.edit(1).limits.group_jobs = 1;
    start(std::move(spec));
    submit(1, hours(1));
    const JobId large = submit(2, hours(1));
    cycle();
    EXPECT_EQ(planned(large), std::nullopt);
    EXPECT_FALSE(engine.derived().pending.find(large)->ordered);
}

// bf_max_job_test bounds how many of them are planned; the first in order are, and others follow.
TEST_F(PlannedAhead, AreAsManyAsThePlanIsDeep) {
    ClusterSpec spec = site();
    spec.accounts.edit(1).limits.group_jobs = 1;
    spec.scheduling.plan_depth = 2;
    start(std::move(spec));
    std::vector<JobId> jobs(6);
    for (JobId& job : jobs) job = submit(1, hours(1));
    cycle();
    EXPECT_TRUE(runs(jobs[0]));
    EXPECT_EQ(planned(jobs[1]), hours(1));
    EXPECT_EQ(planned(jobs[2]), hours(2));
    EXPECT_EQ(planned(jobs[3]), std::nullopt);
    for (std::size_t i = 0; i + 1 < jobs.size(); ++i) {
        ASSERT_TRUE(runs(jobs[i])) << i;
        finish(jobs[i], minutes(1));
    }
    EXPECT_TRUE(runs(jobs.back()));
    EXPECT_TRUE(engine.state().schedule().planned_starts().empty());
}

TEST_F(PlannedAhead, TestOnlySearchesAroundLimits) {
    ClusterSpec spec = site();
    spec.accounts.edit(1).limits.group_tres = {{"gres/gpu", 4}};
    start(std::move(spec));
    submit(4, hours(1));
    submit(2, hours(1));
    cycle();
    const auto start_of = [&](std::int64_t gpus) {
        const StartEstimate estimate = will_run(engine, now, {made(gpus, hours(1))});
        return *estimate.start - kNow;
    };
    EXPECT_EQ(start_of(2), hours(1)) << "beside the second";
    EXPECT_EQ(start_of(4), hours(2));
    EXPECT_EQ(start_of(5), Duration{}) << "the limit never allows it: without the limit, and told";
    EXPECT_EQ(will_run(engine, now, {made(5, hours(1))}).waits_for,
              std::vector{reason_for(PendingReason::assoc_grp, "gres/gpu")});
}

TEST_F(PlannedAhead, ARestartKeepsTheDates) {
    ClusterSpec spec = site();
    spec.accounts.edit(1).limits.group_jobs = 1;
    start(std::move(spec));
    submit(1, hours(1));
    const JobId two = submit(1, hours(1)), three = submit(1, hours(1));
    cycle();
    ASSERT_TRUE(planned(two) && planned(three));
    Engine again = copy_of(engine);
    again.cycle(now, kBudget);
    EXPECT_EQ(again.state().hash(), engine.state().hash());
}

// The check of all of the above can fail.
TEST_F(PlannedAhead, ThePlanCheckSeesAPlanBeyondALimit) {
    ClusterSpec spec = site();
    spec.accounts.edit(1).limits.group_tres = {{"gres/gpu", 4}};
    spec.queues = {{.name = "lab", .nominal = {{"cpu", 2}}, .limit = {{"cpu", 2}}}};
    start(std::move(spec));
    submit(4, hours(1));
    const JobId two = submit(4, hours(1));
    cycle();
    PlannedStart sooner = *engine.state().schedule().planned(two);
    sooner.start -= minutes(1);
    engine.apply(now, JobsPlanned{{{two, sooner}}});
    const auto wrong = check_limits(engine.state(), now);
    ASSERT_TRUE(wrong);
    EXPECT_NE(wrong->find("account lab would use 8 gres/gpu of 4"), std::string::npos) << *wrong;
}

}  // namespace
}  // namespace berth
