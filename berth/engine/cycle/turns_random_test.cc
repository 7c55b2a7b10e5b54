// Turns by chance: runs on several nodes that share cores with others, beside runs that end, stand
// still for an operator, do not answer or have their limits changed. After each cycle the plan is
// checked, and compared with one made anew; nobody waits for ever.
#include <set>

#include "berth/base/rng.h"
#include "berth/engine/cycle/lending_rig.h"
#include "berth/engine/state/turns.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using std::chrono::minutes;

class RandomTurns : public LentCores, public ::testing::WithParamInterface<std::uint64_t> {
protected:
    RandomTurns() : LentCores(cluster(GetParam())), rng(GetParam()) {}
    static ClusterSpec cluster(std::uint64_t seed) {
        ClusterSpec spec = lending_cluster(3);
        spec.scheduling.preemption.gang = true;
        if (seed % 3 != 0) {
            spec.scheduling.preemption.by = PreemptBy::none;
            spec.scheduling.preemption.mode = PreemptMode::off;
        }
        for (PartitionSpec& one : spec.partitions)
            one.oversubscribe = seed % 2 == 0 ? "FORCE:2" : "FORCE:3";
        return spec;
    }

    void submit_some() {
        static const std::vector<std::string> partitions = {"main", "main", "high"};
        const Duration limit = minutes(rng.between(5, 60));
        JobSpec spec = testing::make_job({.nodes = static_cast<std::uint32_t>(rng.between(1, 2)),
                                          .gpus = rng.chance(10) ? 1 : 0,
                                          .cpus = static_cast<std::uint32_t>(rng.between(1, 8)),
                                          .limit = limit});
        if (rng.chance(15)) spec.deadline = now + limit + minutes(rng.between(30, 300));
        submit(rng.pick(partitions), spec);
    }
    template <class Passes>
    std::optional<JobId> some_run(Passes passes) {
        std::vector<JobId> fitting;
        for (const auto& [id, one] : engine.state().jobs()) {
            if (one.state == JobState::running && passes(one)) fitting.push_back(id);
        }
        return fitting.empty() ? std::nullopt : std::optional(rng.pick(fitting));
    }
    void prove_some(std::int64_t percent) {
        std::vector<JobId> awaited;
        for (const auto& [id, one] : engine.state().jobs()) {
            const bool asked = one.suspension && (one.is_suspended() ? !one.suspension->proved
                                                                     : one.suspension->unproved);
            if (one.state == JobState::running && asked && rng.chance(percent))
                awaited.push_back(id);
        }
        for (const JobId id : awaited) freeze(id);
    }
    void end_some() {
        std::vector<JobId> ending;
        for (const auto& [id, one] : engine.state().jobs()) {
            const bool may = one.state == JobState::completing ||
                             (one.state == JobState::running && !one.is_suspended());
            if (may && rng.chance(one.state == JobState::completing ? 60 : 8)) ending.push_back(id);
        }
        for (const JobId id : ending) testing::finish(engine, now, id);
        const auto killed = some_run([](const Job&) { return true; });
        if (killed && rng.chance(10))
            engine.apply(now, EndJob{.job = *killed, .outcome = JobState::cancelled});
    }
    void change_some() {
        const auto one = some_run([](const Job&) { return true; });
        if (!one || (job(*one).lends_cores() && !job(*one).lends_by_turns())) return;
        if (rng.chance(10)) {
            engine.apply(now, JobSuspended{.job = *one,
                                           .attempt = job(*one).attempt,
                                           .in_force = !job(*one).is_suspended()});
        } else if (rng.chance(10)) {
            engine.apply(now, JobUpdated{.job = *one, .time_limit = minutes(rng.between(5, 90))});
        }
    }
    void count_turns() {
        for (const auto& [id, one] : engine.state().jobs()) {
            if (one.state != JobState::running || !runs(id)) continue;
            if (takes_turns(engine.state().jobs(), engine.state().index(), one)) ++turns;
        }
    }

    Rng rng;
    int turns = 0;
    std::vector<JobId> ended, resumed;
};

TEST_P(RandomTurns, ThePlanFollowsAsOneMadeAnew) {
    for (int step = 0; step < 60; ++step) {
        if (step < 45) submit_some();
        end_some();
        prove_some(70);
        change_some();
        pass(std::chrono::seconds(rng.between(0, rng.chance(70) ? 40 : 600)));
        count_turns();
        if (HasFailure()) GTEST_FAIL() << "in step " << step;
    }
    const bool is_usual = GetParam() <= 16;  // Of thousands, some have none.
    if (is_usual) {
        EXPECT_GT(turns, 0);
    }
    // Once all nodes answer, whatever waits for its turn has it some time.
    std::set<JobId> waiting = engine.state().index().awaiting_turn();
    for (int i = 0; i < 40 && !waiting.empty(); ++i) {
        prove_some(100);
        pass(std::chrono::seconds(15));
        std::erase_if(waiting, [&](JobId id) { return !job(id).awaits_turn(); });
        for (const auto& [id, one] : engine.state().jobs()) {
            if (one.state == JobState::completing) ended.push_back(id);
        }
        for (const JobId id : std::exchange(ended, {})) testing::finish(engine, now, id);
        // What an operator has suspended, or a job of another partition, keeps its own pace.
        for (const auto& [id, one] : engine.state().jobs()) {
            if (one.is_suspended() && !one.awaits_turn() && !one.lends_cores())
                resumed.push_back(id);
        }
        for (const JobId id : std::exchange(resumed, {})) {
            engine.apply(now,
                         JobSuspended{.job = id, .attempt = job(id).attempt, .in_force = false});
        }
        if (HasFailure()) GTEST_FAIL();
    }
    EXPECT_TRUE(waiting.empty()) << waiting.size() << " never had their turn";
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTurns,
                         ::testing::Range<std::uint64_t>(1, 1 + testing::seeds_of(16)));

}  // namespace
}  // namespace berth
