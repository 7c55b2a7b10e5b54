// That a plan under the load of the measurements is right, and kept, on small clusters: what
// engine_bench checks on large ones.
#include <gtest/gtest.h>

#include "bench/engine_load.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/testing/builders.h"
#include "berth/testing/seeds.h"

namespace berth::bench {
namespace {

// A day of the cluster: every 20 seconds a run ends early and others come; what is over its time
// is gone so much later.
void keep_promises(const Load& load, Rng& rng, Duration late) {
    Engine engine = busy_engine(load, rng);
    fill_queue(engine, load, Time{}, rng);
    Time now(std::chrono::seconds(1));
    end_runs(engine, now, late);
    ASSERT_EQ(check_plan(engine.state(), now, {.nobody_later_than_without_those_behind = true}),
              std::nullopt);
    for (int event = 0; event < 60; ++event) {
        now += std::chrono::seconds(20);
        const auto before = engine.state().schedule().planned_starts();
        end_runs(engine, now, late);
        testing::finish(engine, now, pick_run(engine, rng));
        end_runs(engine, now, late);
        ASSERT_EQ(check_kept(engine.state(), before), std::nullopt) << "event " << event;
        if (late == Duration{}) {
            ASSERT_EQ(check_plan(engine.state(), now), std::nullopt);
        }
        fill_queue(engine, load, now, rng);
        end_runs(engine, now, late);
    }
}

void keep_promises_on_small(Rng& rng, Duration late) {
    const Load load{.name = "small",
                    .mix = rng.chance(50) ? Mix::heavy : Mix::philly,
                    .pending = static_cast<std::uint32_t>(rng.between(40, 160)),
                    .nodes = static_cast<std::uint32_t>(rng.between(16, 24))};
    keep_promises(load, rng, late);
}

TEST(PlanUnderLoad, IsRightAndKeptWhileRunsEndOnTime) {
    testing::for_each_seed(12, [](Rng& rng) { keep_promises_on_small(rng, {}); });
}

// Until the slack of the promises is used up: a minute, less the time between two looks.
TEST(PlanUnderLoad, IsKeptWhileRunsEndALittleLate) {
    testing::for_each_seed(12,
                           [](Rng& rng) { keep_promises_on_small(rng, std::chrono::seconds(40)); });
}

TEST(PlanUnderLoad, IsRightAndKeptForManyUsers) {
    testing::for_each_seed(2, [](Rng& rng) {
        const Load load{.name = "users",
                        .pending = 160,
                        .nodes = static_cast<std::uint32_t>(rng.between(80, 100)),
                        .owners = Owners::users};
        keep_promises(load, rng, {});
    });
}

TEST(PlanUnderLoad, IsRightAndKeptForManyQueues) {
    testing::for_each_seed(2, [](Rng& rng) {
        const Load load{.name = "queues",
                        .mix = Mix::philly,
                        .pending = 160,
                        .nodes = static_cast<std::uint32_t>(rng.between(80, 100)),
                        .owners = Owners::queues,
                        .queues = 16};
        keep_promises(load, rng, {});
    });
}

}  // namespace
}  // namespace berth::bench
