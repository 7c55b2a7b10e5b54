// GrpTRESMins: jobs wait and runs end once their account has used up its minutes.
#include <gtest/gtest.h>

#include "berth/base/rng.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

const PendingReason kCpuMinutes = reason_for(PendingReason::assoc_grp_minutes, "cpu");
const PendingReason kGpuMinutes = reason_for(PendingReason::assoc_grp_minutes, "gres/gpu");

// Accounts science, physics beneath it, and art; a priority period of five minutes.
struct BudgetsTest : ::testing::Test {
    static ClusterSpec site() {
        ClusterSpec spec = testing::make_cluster(4, {.cores_per_socket = 8, .gpus = 4});
        spec.scheduling.enforce_limits = true;
        spec.scheduling.priority_period = 5min;
        spec.scheduling.usage_decay.half_life = {};
        spec.accounts.push_back({.name = "root", .parent = "root"});
        spec.accounts.push_back({.name = "science", .parent = "root"});
        spec.accounts.push_back({.name = "physics", .parent = "science"});
        spec.accounts.push_back({.name = "art", .parent = "root"});
        return spec;
    }
    BudgetsTest() { pass(0s); }

    void limit(std::size_t account, const TresLimits& budget) {
        AccountSpec one = engine.state().spec().accounts[account];
        one.limits.group_tres_minutes = budget;
        edit(one);
    }
    void limit_wall(std::size_t account, Duration wall) {
        AccountSpec one = engine.state().spec().accounts[account];
        one.limits.group_wall = wall;
        edit(one);
    }
    void edit(const AccountSpec& account) {
        AccountingEdits edits;
        edits.accounts = {account};
        engine.apply(now, AccountingEdited{edits});
        cycle();
    }
    JobId submit(const std::string& account, const std::string& user,
                 const testing::JobOptions& options) {
        Job job;
        job.id = engine.state().next_job_id();
        job.owner = Owner{.uid = 1000, .user = user};
        job.spec = testing::make_job(options);
        job.spec.account = account;
        job.time_limit = options.limit;
        engine.apply(now, JobSubmitted{job});
        cycle();
        return job.id;
    }
    // As a controller has it: a cycle at each moment that the engine names.
    void pass(Duration time) {
        const Time until = now + time;
        cycle();
        while (wake_ && *wake_ <= until) {
            now = std::max(now + Duration(1), *wake_);
            cycle();
        }
        now = until;
        cycle();
    }
    void cycle() {
        for (int i = 0; i < 20; ++i) {
            const Cycle one = engine.cycle(now, kBudget);
            wake_ = one.wake_at;
            if (one.complete && (!wake_ || *wake_ > now)) break;
        }
        engine.state().check_invariants();
    }
    const Job& job(JobId id) const { return *engine.state().find_job(id); }
    bool runs(JobId id) const { return job(id).state == JobState::running; }
    PendingReason reason(JobId id) const { return engine.state().schedule().reason(id); }

    Time now = Time(1'000'000h);
    Engine engine = testing::make_engine(site());

private:
    std::optional<Time> wake_;
};

TEST_F(BudgetsTest, EndRunsAndKeepJobsWaitingOnceTheyAreUsedUp) {
    limit(2, {{"gres/gpu", 60}});
    const JobId first = submit("physics", "ann", {.gpus = 4, .limit = 2h});
    const JobId of_cpus = submit("physics", "ann", {.cpus = 2, .limit = 2h});
    const JobId elsewhere = submit("science", "ann", {.gpus = 4, .limit = 2h});
    EXPECT_TRUE(runs(first) && runs(of_cpus) && runs(elsewhere));
    pass(14min);
    EXPECT_TRUE(runs(first)) << "56 of 60";
    pass(6min);
    EXPECT_EQ(job(first).outcome, JobState::timeout);
    EXPECT_EQ(job(first).state_reason, "AssocGrpGRESMinutes");
    EXPECT_LE(*job(first).ended_at - *job(first).started_at, Duration(20min));
    EXPECT_TRUE(runs(of_cpus)) << "it uses none of them";
    EXPECT_TRUE(runs(elsewhere));
    const JobId more = submit("physics", "ben", {.gpus = 1, .limit = 2h});
    const JobId of_art = submit("art", "ben", {.gpus = 1, .limit = 2h});
    const JobId of_cpus_too = submit("physics", "ben", {.cpus = 1, .limit = 2h});
    EXPECT_FALSE(runs(more));
    EXPECT_EQ(reason(more), kGpuMinutes);
    EXPECT_TRUE(runs(of_art) && runs(of_cpus_too));
    limit(2, {{"gres/gpu", 1000}});
    EXPECT_TRUE(runs(more));
}

TEST_F(BudgetsTest, OfAnAccountCountWhatIsBelow) {
    limit(1, {{"cpu", 10}});
    const JobId below = submit("physics", "ann", {.cpus = 4, .limit = 2h});
    const JobId own = submit("science", "ben", {.cpus = 4, .limit = 2h});
    pass(6min);
    EXPECT_EQ(job(below).outcome, JobState::timeout);
    EXPECT_EQ(job(own).outcome, JobState::timeout);
    const JobId next = submit("physics", "cid", {.cpus = 1, .limit = 2h});
    EXPECT_EQ(reason(next), kCpuMinutes) << "of a user who has used nothing";
}

TEST_F(BudgetsTest, OfAnAssociationAreItsOwn) {
    AccountingEdits edits;
    edits.associations.push_back({.account = "art", .user = "ann"});
    edits.associations[0].limits.group_tres_minutes = {{"cpu", 10}};
    engine.apply(now, AccountingEdited{edits});
    const JobId ann = submit("art", "ann", {.cpus = 4, .limit = 2h});
    const JobId ben = submit("art", "ben", {.cpus = 4, .limit = 2h});
    pass(6min);
    EXPECT_EQ(job(ann).outcome, JobState::timeout);
    EXPECT_TRUE(runs(ben));
    EXPECT_EQ(reason(submit("art", "ann", {.cpus = 1, .limit = 2h})), kCpuMinutes);
}

// GrpWall: whatever the runs hold.
TEST_F(BudgetsTest, OfWallClockTimeAreUsedByEachRun) {
    limit_wall(1, 1h);
    const JobId small = submit("physics", "ann", {.cpus = 1, .limit = 2h});
    const JobId large = submit("science", "ben", {.gpus = 4, .cpus = 8, .limit = 2h});
    const JobId elsewhere = submit("art", "ben", {.cpus = 1, .limit = 2h});
    pass(29min);
    EXPECT_TRUE(runs(small) && runs(large)) << "58 of 60";
    pass(6min);
    EXPECT_EQ(job(small).outcome, JobState::timeout);
    EXPECT_EQ(job(large).state_reason, "AssocGrpWallLimit");
    EXPECT_TRUE(runs(elsewhere));
    const JobId next = submit("physics", "cid", {.cpus = 1, .limit = 1h});
    EXPECT_EQ(reason(next), PendingReason::assoc_grp_wall);
    limit_wall(1, 10h);
    EXPECT_TRUE(runs(next));
}

TEST_F(BudgetsTest, OfNothingLetNothingStart) {
    limit(3, {{"cpu", 0}});
    EXPECT_EQ(reason(submit("art", "ann", {.cpus = 1, .limit = 1h})), kCpuMinutes);
}

// 40 minutes, of which half is left after an hour.
TEST_F(BudgetsTest, AreThereAgainAsUsageFades) {
    ClusterSpec spec = engine.state().spec();
    spec.scheduling.usage_decay.half_life = 1h;
    engine.apply(now, SpecInstalled{spec});
    limit(3, {{"cpu", 25}});
    const JobId first = submit("art", "ann", {.cpus = 8, .limit = 5min});
    pass(5min);
    testing::finish(engine, now, first);
    const JobId next = submit("art", "ann", {.cpus = 1, .limit = 5min});
    EXPECT_EQ(reason(next), kCpuMinutes);
    pass(20min);
    EXPECT_FALSE(runs(next));
    pass(25min);
    EXPECT_TRUE(job(next).started_at);
}

TEST_F(BudgetsTest, AreThereAgainWithANewPeriod) {
    ClusterSpec spec = engine.state().spec();
    spec.scheduling.usage_decay.reset = UsageReset::daily;
    engine.apply(now, SpecInstalled{spec});
    limit(3, {{"cpu", 4}});
    submit("art", "ann", {.cpus = 8, .limit = 1h});
    pass(6min);
    const JobId next = submit("art", "ben", {.cpus = 1, .limit = 1h});
    EXPECT_EQ(reason(next), kCpuMinutes);
    pass(last_reset(now, UsageReset::daily) + 24h - now + 6min);
    EXPECT_TRUE(job(next).started_at);
}

// An engine made anew from the state finds the same used up.
TEST_F(BudgetsTest, FollowFromTheStateAndThePeriod) {
    limit(1, {{"cpu", 300}, {"gres/gpu", 90}});
    limit(2, {{"billing", 150}});
    limit(3, {{"node", 60}, {"cpu", 200}});
    limit_wall(2, 2h);
    Rng rng(1);
    const std::vector<std::string> accounts = {"science", "physics", "art"};
    std::size_t waited = 0;
    for (int i = 0; i < 200; ++i) {
        submit(rng.pick(accounts), rng.pick(std::vector<std::string>{"ann", "ben", "cid"}),
               {.gpus = rng.between(0, 2),
                .cpus = static_cast<std::uint32_t>(rng.between(1, 4)),
                .limit = std::chrono::minutes(rng.between(1, 30))});
        const auto& holding = engine.state().index().holding();
        if (!holding.empty() && rng.chance(60)) {
            const std::vector<JobId> all(holding.begin(), holding.end());
            testing::finish(engine, now, rng.pick(all));
        }
        if (rng.chance(10))
            limit(static_cast<std::size_t>(rng.between(1, 3)), {{"cpu", rng.between(50, 900)}});
        pass(std::chrono::seconds(rng.between(1, 400)));
        Engine anew = copy_of(engine);
        anew.cycle(now, kBudget);
        for (const auto& [id, pending] : engine.derived().pending.all()) {
            const PendingJob* const other = anew.derived().pending.find(id);
            ASSERT_NE(other, nullptr);
            EXPECT_EQ(pending.blocking.reason, other->blocking.reason) << to_string(id);
            waited += pending.blocking.by_budget;
        }
    }
    EXPECT_GT(waited, 100U);
}

}  // namespace
}  // namespace berth
