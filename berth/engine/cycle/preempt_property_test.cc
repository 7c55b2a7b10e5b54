// Preemption against a search through all sets of victims, and over long random histories.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "berth/engine/plan/plan_check.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using testing::for_each_seed;

std::int64_t below(Rng& rng, std::int64_t most) { return rng.between(0, most - 1); }

constexpr std::uint32_t kDifference = 10;  // Of the priorities of two tiers.
constexpr Duration kExempt = std::chrono::minutes(10);

// Partitions p0 … p3 of tiers 0 … 3, which share all nodes. The highest is never preempted.
ClusterSpec cluster(Rng& rng, std::uint32_t nodes) {
    ClusterSpec spec = testing::make_cluster(nodes, {.gpus = 4});
    spec.scheduling.preemption.by = PreemptBy::partition;
    spec.scheduling.preemption.mode = PreemptMode::requeue;
    if (below(rng, 3) == 0) {
        spec.scheduling.preemption.by = PreemptBy::priority;
        spec.scheduling.preemption.min_difference = kDifference;
    }
    if (below(rng, 2) == 0) spec.scheduling.preemption.exempt = kExempt;
    const PartitionSpec main = spec.partitions.front();
    spec.partitions.clear();
    for (int tier = 0; tier < 4; ++tier) {
        PartitionSpec one = main;
        one.name = "p" + std::to_string(tier);
        one.is_default = tier == 0;
        one.priority_tier = tier;
        if (tier < 3 && below(rng, 4) == 0) one.preempt_mode = PreemptMode::cancel;
        if (tier < 3 && below(rng, 6) == 0) one.preempt_mode = PreemptMode::off;
        if (below(rng, 3) == 0) one.grace_time = std::chrono::seconds(20);
        spec.partitions.push_back(one);
    }
    return spec;
}

JobSpec random_job(Rng& rng, int tier, std::uint32_t nodes_max) {
    JobSpec spec =
        testing::make_job({.nodes = 1 + static_cast<std::uint32_t>(below(rng, nodes_max)),
                           .gpus = 1 + static_cast<std::int64_t>(below(rng, 4)),
                           .limit = std::chrono::hours(2 + static_cast<int>(below(rng, 9)))});
    spec.partition = "p" + std::to_string(tier);
    spec.priority = kDifference * (1 + static_cast<std::uint32_t>(tier));
    return spec;
}

const JobsPreempted* preemption_in(const Cycle& cycle) {
    for (const Fact& fact : cycle.decisions) {
        if (const auto* const one = std::get_if<JobsPreempted>(&fact)) return one;
    }
    return nullptr;
}

// ---- One preemptor, against all sets of victims.

class AllSets {
public:
    AllSets(const ClusterState& state, const Job& preemptor, Time now)
        : state_(state),
          nodes_(preemptor.spec.request->nodes_min),
          gpus_(preemptor.spec.request->gpus_per_node.front().count) {
        const auto tier = [&](const Job& job) {
            return state.spec().partition(job.partition).priority_tier;
        };
        const auto& exempt = state.spec().scheduling.preemption.exempt;
        for (const JobId id : state.index().holding()) {
            const Job& run = *state.find_job(id);
            const PartitionSpec& partition = state.spec().partition(run.partition);
            if (tier(run) >= tier(preemptor)) continue;
            if (partition.preempt_mode == PreemptMode::off) continue;
            if (exempt && now - *run.started_at < *exempt) continue;
            candidates_.emplace_back(std::tuple(tier(run), run.nodes.size(), id), id);
        }
        std::ranges::sort(candidates_);
    }

    std::size_t size() const { return candidates_.size(); }
    bool fits(const std::set<JobId>& ended) const {
        std::uint32_t with_room = 0;
        for (std::size_t n = 0; n < state_.spec().nodes.size(); ++n) {
            std::int64_t free = gpus_on(NodeId::from_index(n), ended);
            if (free >= gpus_) ++with_room;
        }
        return with_room >= nodes_;
    }
    std::set<JobId> first(std::size_t count) const {
        std::set<JobId> jobs;
        for (std::size_t i = 0; i < count; ++i) jobs.insert(candidates_[i].second);
        return jobs;
    }
    std::size_t place_of(JobId id) const {
        const auto at = std::ranges::find(candidates_, id, &Candidate::second);
        return static_cast<std::size_t>(at - candidates_.begin());
    }

private:
    using Candidate = std::pair<std::tuple<std::int64_t, std::size_t, JobId>, JobId>;
    std::int64_t gpus_on(NodeId node, const std::set<JobId>& ended) const {
        std::int64_t free = 4;
        for (const JobId id : state_.index().on_node(node)) {
            if (!ended.contains(id))
                free -= state_.find_job(id)->spec.request->gpus_per_node.front().count;
        }
        return free;
    }

    const ClusterState& state_;
    std::uint32_t nodes_;
    std::int64_t gpus_;
    std::vector<Candidate> candidates_;
};

TEST(Preemption, EndsTheFewestThatMakeRoomAndTheLowestFirst) {
    int preempted = 0, impossible = 0;
    for_each_seed(500, [&](Rng& rng) {
        const auto nodes = 1 + static_cast<std::uint32_t>(below(rng, 4));
        const ClusterSpec spec = cluster(rng, nodes);
        ClusterSpec without = spec;
        without.scheduling.preemption = {};
        Engine engine = testing::make_engine(without, kNow);
        Time now = kNow;
        for (int i = 0; i < 12; ++i) {
            const int tier = static_cast<int>(below(rng, 3));
            testing::submit(engine, now, random_job(rng, tier, std::min(nodes, 2U)));
            engine.cycle(now, kBudget);
            for (const JobId id : std::vector(engine.state().index().pending().begin(),
                                              engine.state().index().pending().end())) {
                engine.apply(now, JobCancelled{.job = id});
            }
            now += std::chrono::minutes(static_cast<int>(below(rng, 5)));
        }
        engine.apply(now, SpecInstalled{spec});
        const Engine before = copy_of(engine);
        const JobId id = testing::submit(engine, now, random_job(rng, 3, nodes));
        const AllSets sets(before.state(), *engine.state().find_job(id), now);
        const Cycle cycle = engine.cycle(now, kBudget);
        const JobsPreempted* const made = preemption_in(cycle);
        const bool wanted = !sets.fits({}) && sets.fits(sets.first(sets.size()));
        ASSERT_EQ(made != nullptr, wanted);
        (wanted ? preempted : impossible) += 1;
        if (!wanted) return;
        std::set<JobId> victims;
        std::size_t last = 0;
        for (const JobsPreempted::Victim& one : made->victims) {
            victims.insert(one.job);
            ASSERT_LT(sets.place_of(one.job), sets.size()) << "not to be preempted";
            last = std::max(last, sets.place_of(one.job));
        }
        EXPECT_TRUE(sets.fits(victims));
        for (const JobId one : victims) {
            std::set<JobId> less = victims;
            less.erase(one);
            EXPECT_FALSE(sets.fits(less)) << "job " << one.value() << " could have been spared";
        }
        EXPECT_FALSE(sets.fits(sets.first(last))) << "others that go first were enough";
        EXPECT_EQ(check_plan(engine.state(), now), std::nullopt);
    });
    EXPECT_GT(preempted, testing::scaled(100));
    EXPECT_GT(impossible, testing::scaled(20));
}

// ---- Long histories.

// By priority, and runs of equal priority if they are newer.
ClusterSpec with_always(ClusterSpec spec) {
    PreemptionSpec& preemption = spec.scheduling.preemption;
    preemption.by = PreemptBy::priority;
    preemption.min_difference = 1;
    preemption.preempts_newer = true;
    return spec;
}

class History {
public:
    History(Rng& rng, bool always)
        : rng_(rng),
          always_(always),
          engine_(
              testing::make_engine(always ? with_always(cluster(rng, 4)) : cluster(rng, 4), kNow)),
          now_(kNow) {}

    void step() {
        const bool ending = !engine_.state().index().preempted().empty();
        now_ += Duration(below(rng_, ending ? 15'000 : 60'000));
        const bool quiet = below(rng_, 3) != 0;
        if (!quiet) {
            JobSpec spec = random_job(rng_, static_cast<int>(below(rng_, 4)), 3);
            if (below(rng_, 5) == 0) spec.array = ArraySpec{.tasks = {0, 1, 2}, .max_running = 0};
            testing::submit(engine_, now_, spec);
            preempted_since_.clear();
        }
        cycle();
        end_some();
        cycle();
    }

    // Everyone who is preempted for may start once the victims are gone.
    void drain() {
        for (int i = 0; i < 60; ++i) {
            now_ += std::chrono::seconds(15);
            for (const JobId id : holding()) {
                if (job(id).state == JobState::completing) finish(id);
            }
            cycle();
        }
        for (const auto& [preemptor, victims] : victims_of_) {
            const Job* const found = engine_.state().find_job(preemptor);
            // One of a lower tier may have given way in its turn, or one that is newer.
            if (found == nullptr || tier(preemptor) < 3 || always_) continue;
            if (engine_.state().schedule().preemptor_holds().contains(preemptor))
                continue;  // Just now.
            EXPECT_TRUE(found->started_at || found->restarts > 0)
                << "runs ended for job " << preemptor.value() << ", which never started";
        }
    }

    int preemptions = 0;

private:
    const Job& job(JobId id) const { return *engine_.state().find_job(id); }
    std::int64_t tier(JobId id) const {
        return engine_.state().spec().partition(job(id).partition).priority_tier;
    }
    bool stands_above(JobId preemptor, JobId victim) const {
        if (!always_ || tier(preemptor) != tier(victim)) return tier(preemptor) > tier(victim);
        const auto submission = [&](const Job& one) {
            return std::pair(one.submitted_at, one.array_job.value_or(one.id));
        };
        return submission(job(preemptor)) < submission(job(victim));
    }
    std::vector<JobId> holding() const {
        return {engine_.state().index().holding().begin(), engine_.state().index().holding().end()};
    }
    void finish(JobId id) {
        preempted_since_.clear();
        testing::finish(engine_, now_, id);
    }

    // What must end does within half a minute, before the slack of planned starts is used up.
    void end_some() {
        for (const JobId id : holding()) {
            const bool dying = job(id).state == JobState::completing;
            const bool late = dying && now_ - *job(id).ended_at > std::chrono::seconds(15);
            if (late || below(rng_, dying ? 2 : 40) == 0) finish(id);
        }
    }

    void cycle() {
        for (int i = 0; i < 20; ++i) {
            const Cycle cycle = engine_.cycle(now_, kBudget);
            for (const Fact& fact : cycle.decisions) {
                if (const auto* const one = std::get_if<JobsPreempted>(&fact)) note(*one);
            }
            engine_.state().check_invariants();
            if (cycle.complete) break;
            ASSERT_LT(i, 19) << "the cycles do not come to an end";
        }
        ASSERT_EQ(check_plan(engine_.state(), now_), std::nullopt);
    }

    void note(const JobsPreempted& fact) {
        ++preemptions;
        EXPECT_FALSE(fact.victims.empty());
        for (const JobsPreempted::Victim& victim : fact.victims) {
            EXPECT_TRUE(stands_above(fact.preemptor, victim.job));
            EXPECT_FALSE(pairs_.contains({victim.job, fact.preemptor})) << "in turns";
            pairs_.emplace(fact.preemptor, victim.job);
            // Without a submission or an end, nobody is preempted twice.
            EXPECT_TRUE(preempted_since_.insert(victim.job).second);
            const bool is_new = victims_of_[fact.preemptor].insert(victim.job).second;
            EXPECT_TRUE(is_new || tier(fact.preemptor) < 3 || always_);
        }
    }

    Rng& rng_;
    bool always_;
    Engine engine_;
    Time now_;
    std::set<JobId> preempted_since_;
    std::map<JobId, std::set<JobId>> victims_of_;
    std::set<std::pair<JobId, JobId>> pairs_;  // Preemptor and victim.
};

TEST(Preemption, KeepsThePlanAndItsPromiseOverLongHistories) {
    for (const bool always : {false, true}) {
        int preemptions = 0;
        for_each_seed(60, [&](Rng& rng) {
            History history(rng, always);
            for (int i = 0; i < 120 && !::testing::Test::HasFailure(); ++i) history.step();
            history.drain();
            preemptions += history.preemptions;
        });
        EXPECT_GT(preemptions, testing::scaled(150));
    }
}

}  // namespace
}  // namespace berth
