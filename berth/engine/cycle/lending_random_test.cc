// Suspension by chance: lenders on several nodes, in chains, beside runs that end, with deadlines
// and changed limits. After each cycle the plan is checked, and compared with one made anew.
#include "berth/base/rng.h"
#include "berth/engine/cycle/lending_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using std::chrono::minutes;

class RandomLoans : public LentCores, public ::testing::WithParamInterface<std::uint64_t> {
protected:
    RandomLoans() : LentCores(cluster(GetParam())), rng(GetParam()) {}
    static ClusterSpec cluster(std::uint64_t seed) {
        ClusterSpec spec = lending_cluster(3);
        if (seed % 2 == 1) spec.partitions[1].preempt_mode = PreemptMode::cancel;
        return spec;
    }

    void submit_some() {
        static const std::vector<std::string> partitions = {"main", "main", "high", "top"};
        const Duration limit = minutes(rng.between(5, 120));
        JobSpec spec = testing::make_job({.nodes = static_cast<std::uint32_t>(rng.between(1, 2)),
                                          .gpus = rng.chance(20) ? 1 : 0,
                                          .cpus = static_cast<std::uint32_t>(rng.between(1, 8)),
                                          .limit = limit});
        if (rng.chance(15)) spec.deadline = now + limit + minutes(rng.between(30, 300));
        submit(rng.pick(partitions), spec);
    }
    template <class Passes>
    std::optional<JobId> some_job(Passes passes) {
        std::vector<JobId> fitting;
        for (const auto& [id, one] : engine.state().jobs()) {
            if (passes(one)) fitting.push_back(id);
        }
        return fitting.empty() ? std::nullopt : std::optional(rng.pick(fitting));
    }
    void prove_some() {
        std::vector<JobId> awaited;
        for (const auto& [id, one] : engine.state().jobs()) {
            const bool asked = one.suspension && (one.lends_cores() ? !one.suspension->proved
                                                                    : one.suspension->unproved);
            if (one.state == JobState::running && asked && rng.chance(60)) awaited.push_back(id);
        }
        for (const JobId id : awaited) freeze(id);
    }
    void end_some() {
        const auto ends = some_job([](const Job& one) {
            return one.allocation && (one.state == JobState::completing || !one.is_suspended());
        });
        if (ends && rng.chance(50)) testing::finish(engine, now, *ends);
        const auto killed = some_job([](const Job& one) { return one.state == JobState::running; });
        if (killed && rng.chance(10))
            engine.apply(now, EndJob{.job = *killed, .outcome = JobState::cancelled});
        const auto waits = some_job([](const Job& one) { return one.state == JobState::pending; });
        if (waits && rng.chance(10)) cancel_pending(*waits);
    }
    void change_some() {
        const auto changes = some_job([](const Job& one) {
            return one.state == JobState::pending || one.state == JobState::running;
        });
        if (!changes || !rng.chance(15)) return;
        engine.apply(now, JobUpdated{.job = *changes, .time_limit = minutes(rng.between(5, 180))});
    }

    Rng rng;
};

TEST_P(RandomLoans, ThePlanFollowsAsOneMadeAnew) {
    for (int step = 0; step < 40; ++step) {
        submit_some();
        end_some();
        prove_some();
        change_some();
        pass(std::chrono::seconds(rng.between(0, 900)));
        if (HasFailure()) {
            GTEST_FAIL() << "in step " << step;
        }
    }
    const bool is_usual = GetParam() <= 16;  // Of thousands, some have none.
    if (is_usual) {
        EXPECT_GT(preemptions, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLoans,
                         ::testing::Range<std::uint64_t>(1, 1 + testing::seeds_of(16)));

}  // namespace
}  // namespace berth
