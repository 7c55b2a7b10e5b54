// What changed quotas would do: who starts, who waits, who is preempted.
#include "berth/engine/explain/what_if.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

using std::chrono::hours;

// Eight GPUs on two nodes, half of them vision's by right and half speech's.
struct WhatIfTest : ::testing::Test {
    WhatIfTest() {
        ClusterSpec spec = testing::make_cluster(2, {.gpus = 4});
        spec.scheduling.enforce_limits = true;
        spec.scheduling.preemption.reclaim = PreemptMode::requeue;
        spec.accounts = {{.name = "vision"}, {.name = "speech"}};
        spec.queues = {queue("vision", 4), queue("speech", 4)};
        engine = testing::make_engine(std::move(spec), kNow);
    }
    static QueueSpec queue(const std::string& name, std::int64_t nominal,
                           std::optional<std::int64_t> limit = std::nullopt) {
        QueueSpec queue{.name = name, .nominal = {{"gres/gpu", nominal}}};
        if (limit) queue.limit = {{"gres/gpu", *limit}};
        return queue;
    }
    JobId submit(const std::string& account, std::int64_t gpus) {
        JobSpec spec = testing::make_job({.gpus = gpus});
        spec.account = account;
        const JobId id = testing::submit(engine, kNow, spec);
        engine.cycle(kNow, kBudget);
        return id;
    }
    WhatIf with(std::vector<QueueSpec> queues) {
        AccountingEdits edits;
        edits.queues = std::move(queues);
        const std::uint64_t hash = engine.state().hash();
        WhatIf found = what_if(engine.state(), edits, kNow);
        EXPECT_EQ(engine.state().hash(), hash);
        return found;
    }
    JobState state_of(JobId id) const { return engine.state().find_job(id)->state; }
    // The engine's own answer, once the edits are made.
    void edit(std::vector<QueueSpec> queues) {
        AccountingEdits edits;
        edits.queues = std::move(queues);
        engine.apply(kNow, AccountingEdited{edits});
        engine.cycle(kNow, kBudget);
    }

    Engine engine;
};

TEST_F(WhatIfTest, SaysNothingOfAChangeThatChangesNothing) {
    submit("vision", 4);
    submit("speech", 4);
    submit("speech", 4);
    const WhatIf found = with({queue("vision", 4)});
    EXPECT_EQ(found.waiting, 1U);
    EXPECT_TRUE(found.changes.empty());
    EXPECT_TRUE(found.preemptions.empty());
}

TEST_F(WhatIfTest, AJobStartsAtOnceUnderAHigherLimit) {
    edit({queue("speech", 4, 4)});
    submit("speech", 4);
    const JobId waits = submit("speech", 4);
    const WhatIf found = with({queue("speech", 4, 8)});
    ASSERT_EQ(found.changes.size(), 1U);
    EXPECT_EQ(found.changes[0].job, waits);
    EXPECT_EQ(found.changes[0].before.starts_now, 0U);
    EXPECT_EQ(found.changes[0].before.planned, kNow + hours(1));
    EXPECT_EQ(found.changes[0].after.starts_now, 1U);
    edit({queue("speech", 4, 8)});
    EXPECT_EQ(state_of(waits), JobState::running);
}

TEST_F(WhatIfTest, AJobWaitsWithAReasonUnderALowerLimit) {
    submit("vision", 4);
    submit("speech", 4);
    const JobId waits = submit("speech", 4);
    const WhatIf found = with({queue("speech", 2, 2)});
    ASSERT_EQ(found.changes.size(), 1U);
    EXPECT_EQ(found.changes[0].job, waits);
    EXPECT_EQ(found.changes[0].before.planned, kNow + hours(1));
    EXPECT_EQ(found.changes[0].after.planned, std::nullopt);
    EXPECT_EQ(slurm_name(found.changes[0].after.reason), "AssocGrpGRES");
}

TEST_F(WhatIfTest, NamesTheRunsThatWouldBePreempted) {
    const JobId victim = submit("vision", 4), spared = submit("vision", 4);
    EXPECT_EQ(state_of(spared), JobState::running);
    edit({queue("vision", 8), queue("speech", 0)});
    const JobId waits = submit("speech", 4);
    const WhatIf found = with({queue("vision", 4), queue("speech", 4)});
    ASSERT_EQ(found.preemptions.size(), 1U);
    EXPECT_EQ(found.preemptions[0].victim, victim);
    EXPECT_EQ(found.preemptions[0].preemptor, waits);
    edit({queue("vision", 4), queue("speech", 4)});
    EXPECT_TRUE(engine.state().find_job(victim)->allocation->preempted.has_value());
}

TEST_F(WhatIfTest, CountsTheTasksOfAnArrayThatStart) {
    edit({queue("speech", 2, 2)});
    JobSpec array = testing::make_job({.gpus = 2});
    array.account = "speech";
    array.array = ArraySpec{.tasks = {1, 2, 3, 4, 5}};
    const JobId id = testing::submit(engine, kNow, array);
    engine.cycle(kNow, kBudget);
    const WhatIf found = with({queue("speech", 2, 6)});
    ASSERT_EQ(found.changes.size(), 1U);
    EXPECT_EQ(found.changes[0].job, id);
    EXPECT_EQ(found.changes[0].after.starts_now, 2U);
}

}  // namespace
}  // namespace berth
