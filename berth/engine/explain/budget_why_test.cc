#include <gtest/gtest.h>

#include "berth/engine/explain/explain.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

// Of a job of two GPUs and an hour whose account has these limits.
Explanation explain_under(const Limits& limits) {
    ClusterSpec spec = testing::make_cluster(1);
    spec.scheduling.enforce_limits = true;
    spec.accounts.push_back({.name = "physics"});
    spec.accounts.edit(0).limits = limits;
    Engine engine = testing::make_engine(std::move(spec));
    JobSpec job = testing::make_job({.gpus = 2, .limit = std::chrono::hours(1)});
    job.account = "physics";
    const JobId id = testing::submit(engine, kNow, job);
    engine.cycle(kNow, kBudget);
    return explain(engine, kNow, id);
}

TEST(BudgetWhy, SaysWhatHasBeenUsedAndWhatTheJobAsksFor) {
    const Explanation why = explain_under({.group_tres_minutes = {{"gres/gpu", 0}}});
    EXPECT_EQ(slurm_name(why.reason), "AssocGrpGRESMinutes");
    ASSERT_EQ(why.blockers.size(), 1U);
    EXPECT_EQ(why.blockers[0].text,
              "account physics allows 0 gres/gpu minutes, and 0 have been used.");
    EXPECT_EQ(why.blockers[0].asked, 120);
}

TEST(BudgetWhy, TellsWallClockTimeFromWhatIsHeld) {
    const Explanation why = explain_under({.group_wall = Duration(0)});
    EXPECT_EQ(slurm_name(why.reason), "AssocGrpWallLimit");
    ASSERT_EQ(why.blockers.size(), 1U);
    EXPECT_EQ(why.blockers[0].text,
              "account physics allows 0 wall-clock minutes, and 0 have been used.");
    EXPECT_EQ(why.blockers[0].asked, 60);
}

}  // namespace
}  // namespace berth
