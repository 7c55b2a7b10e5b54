// Properties of the whole cycle, in small random worlds: no resource is planned twice, planned
// starts are kept, and no job that could start waits.
#include "berth/engine/cycle/cycle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

struct Interval {
    Time start, end;
    Resources amount;
};

// What all jobs but one take of each node, read from the state alone.
std::vector<std::vector<Interval>> booked(const ClusterState& state, Time now, JobId but) {
    std::vector<std::vector<Interval>> nodes(state.spec().nodes.size());
    for (const JobId id : state.index().holding()) {
        const Job& job = *state.find_job(id);
        const Time end = std::max(limit_end(state.spec(), job), now + Duration(1));
        for (const NodeShare& share : job.allocation->shares) {
            nodes[share.node.index()].push_back({Time::min(), end, share.amount});
        }
    }
    for (const auto& [id, planned] : state.schedule().planned_starts()) {
        if (id == but) continue;
        for (const auto& [node, amount] : planned.amounts) {
            nodes[node.index()].push_back({planned.start, planned.end, amount});
        }
    }
    return nodes;
}

Resources least_free(const Resources& capacity, const std::vector<Interval>& intervals, Time start,
                     Time end) {
    Resources least = capacity;
    std::vector<Time> moments = {start};
    for (const Interval& one : intervals) {
        if (one.start > start && one.start < end) moments.push_back(one.start);
    }
    for (const Time moment : moments) {
        Resources left = capacity;
        for (const Interval& one : intervals) {
            if (one.start <= moment && moment < one.end) left -= one.amount;
        }
        for (std::uint32_t d = 0; d < kDimensionsMax; ++d) {
            least[DimensionId(d)] = std::min(least[DimensionId(d)], left[DimensionId(d)]);
        }
    }
    return least;
}

// Whether the job would fit from `start` on, everything else unchanged.
bool would_fit(const Engine& engine, Time now, const PendingJob& job, Time start) {
    const ClusterState& state = engine.state();
    const auto nodes = booked(state, now, job.id);
    std::vector<Resources> rooms;
    rooms.reserve(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        rooms.push_back(least_free(state.spec().nodes[n].capacity, nodes[n], start,
                                   after(start, job.shape->length)));
    }
    const EngineView view(state, engine.derived(), now);
    const auto room = [&](NodeId node) -> const Resources* {
        return state.nodes().condition(node).schedulable() ? &rooms[node.index()] : nullptr;
    };
    return place(job.shape->demand(), room, {engine.derived().policy.placement(), view}).index() ==
           0;
}

// Without slack, so that a planned start reserves exactly the job's time limit.
ClusterSpec random_tiers(Rng& rng) {
    ClusterSpec spec = testing::make_cluster(static_cast<std::uint32_t>(rng.between(1, 4)),
                                             {.sockets = 1, .cores_per_socket = 8, .gpus = 4});
    spec.scheduling.kill_wait = Duration{};
    if (rng.chance(30)) spec.scheduling.plan_depth = static_cast<std::uint32_t>(rng.between(0, 3));
    PlanningSpec& planning = spec.scheduling.planning;
    if (rng.chance(15)) planning.depth_per_user = static_cast<std::uint32_t>(rng.between(1, 4));
    if (rng.chance(15))
        planning.depth_per_partition = static_cast<std::uint32_t>(rng.between(1, 4));
    spec.partitions.push_back(spec.partitions.front());
    spec.partitions.back().name = "first";
    spec.partitions.back().is_default = false;
    spec.partitions.back().priority_tier = 2;
    return spec;
}

JobSpec random_tier_job(Rng& rng, std::size_t nodes) {
    testing::JobOptions options;
    options.gpus = rng.between(0, 4);
    options.cpus = static_cast<std::uint32_t>(rng.between(1, 4));
    options.limit = std::chrono::minutes(rng.between(1, 20));
    if (rng.chance(30))
        options.nodes = static_cast<std::uint32_t>(rng.between(1, static_cast<int>(nodes)));
    JobSpec spec = testing::make_job(options);
    if (rng.chance(20)) spec.partition = "first";
    if (rng.chance(10)) spec.request.edit().exclusive = true;
    if (rng.chance(10))
        spec.array = ArraySpec{{0, 1, 2, 3}, static_cast<std::uint32_t>(rng.between(0, 2))};
    if (rng.chance(3)) spec.request.edit().time_limit = std::chrono::hours(24 * 300);
    return spec;
}

// A cluster in which time passes, and something happens each time.
class CycleWorld {
public:
    CycleWorld(Rng& rng, bool nodes_fail)
        : rng_(rng), nodes_fail_(nodes_fail), engine_(testing::make_engine(random_tiers(rng))) {}

    void run(int events) {
        for (int i = 0; i < events && !::testing::Test::HasFatalFailure(); ++i) step();
        for (int i = 0; i < 2000 && !engine_.state().index().pending().empty(); ++i) {
            recover();
            pass_time();
            turn();
            if (::testing::Test::HasFatalFailure()) return;
        }
        ASSERT_TRUE(engine_.state().index().pending().empty()) << "somebody waits for ever";
    }

    void step() {
        if (rng_.chance(60)) pass_time();
        something_happens();
        turn();
    }

    Engine& engine() { return engine_; }
    Time now() const { return now_; }

    // One cycle, cut into pieces of a random budget, followed by all checks.
    void turn() {
        const JobTable<PlannedStart> before = engine_.state().schedule().planned_starts();
        const std::uint32_t budget = rng_.chance(20) ? 3 : kBudget;
        Cycle cycle;
        bool again = true;
        while (again) {
            cycle = engine_.cycle(now_, budget);
            again = !cycle.complete;
            for (const Fact& decision : cycle.decisions) again = obey(decision) || again;
        }
        wake_at_ = cycle.wake_at;
        engine_.state().check_invariants();
        const auto wrong = check_plan(engine_.state(), now_);
        ASSERT_FALSE(wrong) << *wrong;
        if (!lost_nodes_) check_promises(before);
        check_nothing_more_fits();
        lost_nodes_ = false;
    }

private:
    // A job that is told to end does so at once. True: something happened.
    bool obey(const Fact& decision) {
        if (const auto* end = std::get_if<EndJob>(&decision)) {
            testing::finish(engine_, now_, end->job);
            return true;
        }
        if (const auto* start = std::get_if<StartJob>(&decision)) {
            const JobId id = start->task_job.value_or(start->job);
            const Job& job = *engine_.state().find_job(id);
            const std::int64_t limit = job.time_limit / std::chrono::minutes(1);
            const std::int64_t length = rng_.between(1, std::min<std::int64_t>(limit + 1, 30));
            ends_.emplace(now_ + std::chrono::minutes(length), id);
        }
        return false;
    }

    void pass_time() {
        Time next = now_ + std::chrono::seconds(rng_.between(1, 300));
        if (wake_at_) next = std::min(next, *wake_at_);
        if (!ends_.empty()) next = std::min(next, ends_.begin()->first);
        now_ = std::max(now_, next);
        while (!ends_.empty() && ends_.begin()->first <= now_) {
            const JobId id = ends_.begin()->second;
            ends_.erase(ends_.begin());
            const Job* job = engine_.state().find_job(id);
            // Exactly at its limit, the cycle ends it.
            if (job == nullptr || !job->allocation) continue;
            if (job->state == JobState::running) testing::finish(engine_, now_, id);
        }
    }

    void something_happens() {
        const std::size_t nodes = engine_.state().spec().nodes.size();
        if (nodes_fail_ && rng_.chance(15)) {
            const NodeId node(
                static_cast<std::uint32_t>(rng_.between(0, static_cast<int>(nodes) - 1)));
            if (rng_.chance(50)) {
                engine_.apply(now_, NodeNotResponding{node});
            } else {
                testing::register_node(engine_, now_, node);
            }
            lost_nodes_ = true;
            return;
        }
        if (engine_.state().index().pending().size() < 12) {
            testing::submit(engine_, now_, random_tier_job(rng_, nodes));
        }
    }

    void recover() {
        for (std::size_t n = 0; n < engine_.state().spec().nodes.size(); ++n) {
            const NodeId node = NodeId::from_index(n);
            if (engine_.state().nodes().condition(node).schedulable()) continue;
            testing::register_node(engine_, now_, node);
            lost_nodes_ = true;
        }
    }

    void check_promises(const JobTable<PlannedStart>& before) {
        for (const auto& [id, planned_for] : before) {
            const Job* job = engine_.state().find_job(id);
            if (job->spec.array || job->state != JobState::pending) {
                if (job->started_at) {
                    ASSERT_LE(*job->started_at, planned_for.start);
                }
                continue;  // The planned start of an array is that of its next task.
            }
            const PlannedStart* now = engine_.state().schedule().planned(id);
            ASSERT_NE(now, nullptr) << "job " << to_string(id) << " lost its planned start";
            ASSERT_LE(now->start, planned_for.start) << "job " << to_string(id) << " was put off";
        }
    }

    // No job could start now or before its planned start, and no job that could have a planned
    // start lacks one.
    void check_nothing_more_fits() {
        const SchedulingSpec& scheduling = engine_.state().spec().scheduling;
        for (const auto& [id, job] : engine_.derived().pending.all()) {
            if (job.blocking.reason != PendingReason::none) continue;
            ASSERT_FALSE(would_fit(engine_, now_, job, now_))
                << "job " << to_string(id) << " could have started";
            const PlannedStart* planned_start = engine_.state().schedule().planned(id);
            const bool deep = scheduling.plan_depth > 100 && scheduling.planning == PlanningSpec();
            if (planned_start == nullptr && !deep) continue;
            const Time latest = planned_start == nullptr ? after(now_, scheduling.plan_window)
                                                         : planned_start->start - Duration(1);
            for (const Time end : ends_of_others(id)) {
                if (end <= now_ || end > latest) continue;
                ASSERT_FALSE(would_fit(engine_, now_, job, end))
                    << "job " << to_string(id) << " could have been promised more";
            }
        }
    }

    std::vector<Time> ends_of_others(JobId but) const {
        std::vector<Time> ends;
        for (const auto& [id, planned] : engine_.state().schedule().planned_starts()) {
            if (id != but) ends.push_back(planned.end);
        }
        for (const JobId id : engine_.state().index().holding()) {
            ends.push_back(limit_end(engine_.state().spec(), *engine_.state().find_job(id)));
        }
        return ends;
    }

    Rng& rng_;
    bool nodes_fail_;
    Engine engine_;
    Time now_{};
    std::optional<Time> wake_at_;
    std::multimap<Time, JobId> ends_;
    bool lost_nodes_ = false;
};

TEST(Cycle, KeepsItsPromisesAndLeavesNothingThatFits) {
    testing::for_each_seed(150, [](Rng& rng) { CycleWorld(rng, false).run(60); });
}

TEST(Cycle, PlansAnewWhenNodesComeAndGo) {
    testing::for_each_seed(100, [](Rng& rng) { CycleWorld(rng, true).run(60); });
}

// ---- Two engines from one state.

// The id of a task differs between engines.
std::set<std::pair<JobId, std::optional<std::uint32_t>>> runs_of(const Engine& engine) {
    std::set<std::pair<JobId, std::optional<std::uint32_t>>> runs;
    for (const JobId id : engine.state().index().holding()) {
        const Job& job = *engine.state().find_job(id);
        runs.emplace(job.array_job.value_or(id), job.array_task);
    }
    return runs;
}

TEST(Cycle, WhoComesLaterDelaysNobody) {
    testing::for_each_seed(150, [](Rng& rng) {
        CycleWorld world(rng, false);
        for (int i = 0; i < 25; ++i) world.step();
        Engine with = copy_of(world.engine()), without = copy_of(world.engine());
        const std::size_t nodes = with.state().spec().nodes.size();
        for (int i = 0; i < 5; ++i) {
            JobSpec spec = random_tier_job(rng, nodes);
            spec.partition = "main";  // Of the lower tier, and submitted last.
            testing::submit(with, world.now(), spec);
        }
        const Time later = world.now() + std::chrono::minutes(1);
        with.cycle(later, kBudget);
        without.cycle(later, kBudget);
        for (const auto& [id, planned_for] : without.state().schedule().planned_starts()) {
            const PlannedStart* planned = with.state().schedule().planned(id);
            ASSERT_NE(planned, nullptr);
            ASSERT_LE(planned->start, planned_for.start) << "job " << to_string(id);
        }
        const auto running = runs_of(with);
        for (const auto& run : runs_of(without)) ASSERT_TRUE(running.contains(run));
    });
}

TEST(Cycle, IsTheSameAfterARestartAndByReplay) {
    testing::for_each_seed(100, [](Rng& rng) {
        CycleWorld world(rng, false);
        for (int i = 0; i < 25; ++i) world.step();
        Engine running = copy_of(world.engine()), replayed = copy_of(world.engine());
        ASSERT_EQ(running.state().hash(), world.engine().state().hash());
        const Time later = world.now() + std::chrono::minutes(1);
        const JobId id = testing::submit(running, later,
                                         random_tier_job(rng, running.state().spec().nodes.size()));
        replayed.apply(later, JobSubmitted{*running.state().find_job(id)});
        const Cycle cycle = running.cycle(later, kBudget);
        for (const Fact& decision : cycle.decisions) replayed.apply(later, decision);
        ASSERT_EQ(running.state().hash(), replayed.state().hash());
        // Nor has the replayed engine anything left to decide.
        ASSERT_TRUE(replayed.cycle(later, kBudget).decisions.empty());
    });
}

TEST(Cycle, CostsNothingWhileNothingHappens) {
    Engine engine = testing::make_engine(testing::make_cluster(1));
    for (int i = 0; i < 3; ++i) testing::submit(engine, Time{}, testing::make_job({.gpus = 8}));
    const Cycle first = engine.cycle(Time{}, kBudget);
    EXPECT_EQ(first.wake_at, Time(std::chrono::hours(1)));
    const Cycle second = engine.cycle(Time(std::chrono::minutes(30)), 0);
    EXPECT_TRUE(second.complete && second.decisions.empty());
    EXPECT_EQ(second.wake_at, first.wake_at);
}

TEST(Cycle, GoesOnWhereItsBudgetRanOut) {
    Engine engine = testing::make_engine(testing::make_cluster(4));
    for (int i = 0; i < 30; ++i) testing::submit(engine, Time{}, testing::make_job({.gpus = 1}));
    int cycles = 0;
    for (bool complete = false; !complete; ++cycles) {
        const Cycle cycle = engine.cycle(Time{}, 4);
        complete = cycle.complete;
        EXPECT_LE(engine.state().index().holding().size(),
                  std::size_t{4} * (static_cast<std::size_t>(cycles) + 1));
    }
    EXPECT_EQ(engine.state().index().holding().size(), 30U);
    EXPECT_GE(cycles, 7);
}

}  // namespace
}  // namespace berth
