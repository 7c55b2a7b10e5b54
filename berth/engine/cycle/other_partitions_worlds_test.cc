// Jobs that name several partitions, in random worlds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "berth/engine/derived/derived_state.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/engine/state/job_queries.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using std::chrono::minutes;

// Partitions that share nodes, some of a higher tier.
ClusterSpec random_partitions(Rng& rng) {
    ClusterSpec spec = testing::make_cluster(4, {.sockets = 1, .cores_per_socket = 8, .gpus = 4});
    spec.scheduling.kill_wait = Duration{};
    spec.partitions = {{.name = "a", .nodes = {NodeId(0), NodeId(1)}, .is_default = true},
                       {.name = "b", .nodes = {NodeId(1), NodeId(2)}},
                       {.name = "c", .nodes = {NodeId(3)}}};
    for (PartitionSpec& partition : spec.partitions) partition.priority_tier = rng.between(1, 2);
    return spec;
}

JobSpec random_job_of_several(Rng& rng) {
    static const std::vector<std::string> lists = {"a", "b", "c", "a,b", "b,c", "c,a", "a,b,c"};
    testing::JobOptions options;
    options.gpus = rng.between(0, 4);
    options.cpus = static_cast<std::uint32_t>(rng.between(1, 4));
    options.limit = minutes(rng.between(1, 20));
    JobSpec spec = testing::make_job(options);
    spec.partition = rng.pick(lists);
    if (rng.chance(10)) spec.array = ArraySpec{{0, 1, 2}, 0};
    return spec;
}

// Until something may happen; then the runs end whose time has come. One that was requeued may be
// ended by the end drawn for its earlier run.
void pass_time(Engine& engine, Rng& rng, Time& now, std::optional<Time> wake_at,
               std::multimap<Time, JobId>& ends) {
    Time next = now + std::chrono::seconds(rng.between(1, 300));
    if (wake_at) next = std::min(next, *wake_at);
    if (!ends.empty()) next = std::min(next, ends.begin()->first);
    now = std::max(now, next);
    while (!ends.empty() && ends.begin()->first <= now) {
        const JobId id = ends.begin()->second;
        ends.erase(ends.begin());
        const Job* job = engine.state().find_job(id);
        if (job != nullptr && job->state == JobState::running) testing::finish(engine, now, id);
    }
}

class WorldOfPartitions {
public:
    explicit WorldOfPartitions(Rng& rng)
        : rng_(rng), engine_(testing::make_engine(random_partitions(rng))) {}

    void run() {
        for (int i = 0; i < 60 && !::testing::Test::HasFatalFailure(); ++i) {
            if (rng_.chance(60)) pass_time(engine_, rng_, now_, wake_at_, ends_);
            if (engine_.state().index().pending().size() < 12)
                testing::submit(engine_, now_, random_job_of_several(rng_));
            turn();
        }
        for (int i = 0; i < 2000 && !engine_.state().index().pending().empty(); ++i) {
            pass_time(engine_, rng_, now_, wake_at_, ends_);
            turn();
            if (::testing::Test::HasFatalFailure()) return;
        }
        ASSERT_TRUE(engine_.state().index().pending().empty()) << "somebody waits for ever";
    }

private:
    void turn() {
        const JobTable<PlannedStart> before = engine_.state().schedule().planned_starts();
        const std::uint32_t budget = rng_.chance(20) ? 3 : kBudget;
        bool again = true;
        while (again) {
            const Cycle cycle = engine_.cycle(now_, budget);
            again = !cycle.complete;
            for (const Fact& decision : cycle.decisions) again = obey(decision) || again;
            wake_at_ = cycle.wake_at;
        }
        engine_.state().check_invariants();
        const auto wrong = check_plan(engine_.state(), now_);
        ASSERT_FALSE(wrong) << *wrong;
        check_starts_kept(before);
        check_idle_nodes();
    }

    // A job that is told to end does so at once. True: something happened.
    bool obey(const Fact& decision) {
        if (const auto* end = std::get_if<EndJob>(&decision)) {
            testing::finish(engine_, now_, end->job);
            return true;
        }
        if (const auto* start = std::get_if<StartJob>(&decision)) {
            const JobId id = start->task_job.value_or(start->job);
            const Job& job = *engine_.state().find_job(id);
            const auto& nodes = *engine_.state().spec().partition(job.partition).nodes;
            for (const NodeShare& share : start->allocation.shares)
                EXPECT_TRUE(std::ranges::binary_search(nodes, share.node));
            ends_.emplace(now_ + minutes(rng_.between(1, job.time_limit / minutes(1))), id);
        }
        return false;
    }

    void check_starts_kept(const JobTable<PlannedStart>& before) {
        for (const auto& [id, planned_for] : before) {
            const Job& job = *engine_.state().find_job(id);
            if (job.spec.array || job.state != JobState::pending) continue;
            const PlannedStart* now = engine_.state().schedule().planned(id);
            ASSERT_NE(now, nullptr) << "job " << to_string(id) << " lost its planned start";
            ASSERT_LE(now->start, planned_for.start) << "job " << to_string(id) << " was put off";
        }
    }

    // Nobody waits beside a node of one of its partitions that could run it and that no planned
    // start uses.
    void check_idle_nodes() {
        const ClusterState& state = engine_.state();
        for (const auto& [id, pending] : engine_.derived().pending.all()) {
            if (pending.blocking.reason != PendingReason::none) continue;
            const Job& job = *state.find_job(id);
            const auto& gpus = job.spec.request->gpus_per_node;
            const std::int64_t count = gpus.empty() ? 0 : gpus.front().count;
            for (const PartitionId partition : partitions_of(state.spec(), job)) {
                for (const NodeId node : *state.spec().partition(partition).nodes) {
                    const NodeFree& free = state.nodes().free(node);
                    const bool fits = free.cores.count() >= job.spec.request->cpus_per_task &&
                                      popcount(free.devices) >= count;
                    const bool planned = !engine_.derived().book.planned_on(node).empty();
                    ASSERT_FALSE(fits && !planned)
                        << "job " << to_string(id) << " could run on node "
                        << state.spec().node(node).name;
                }
            }
        }
    }

    Rng& rng_;
    Engine engine_;
    Time now_{};
    std::optional<Time> wake_at_;
    std::multimap<Time, JobId> ends_;
};

TEST(OtherPartitions, KeepPlannedStartsAndLeaveNoNodeIdle) {
    testing::for_each_seed(100, [](Rng& rng) { WorldOfPartitions(rng).run(); });
}

// ---- With all that may come between.

// What a world has beside partitions that share nodes. The plan holds in all of them, and in the
// end nobody waits.
struct PartitionTerms {
    explicit PartitionTerms(Rng& rng)
        : strict(rng.chance(20)),
          preempts(rng.chance(40)),
          limits(!preempts && rng.chance(50)),
          shuts(rng.chance(40)),
          gangs(rng.chance(40)),
          default_times(rng.chance(40)) {}
    bool strict, preempts, limits, shuts, gangs, default_times;
};

ClusterSpec partitions_on_terms(Rng& rng, const PartitionTerms& terms) {
    ClusterSpec spec = random_partitions(rng);
    spec.scheduling.backfill = !terms.strict;
    if (terms.default_times) {
        for (PartitionSpec& partition : spec.partitions)
            partition.default_time = minutes(rng.between(1, 30));
    }
    spec.qos.push_back({.name = "high", .priority = 1});
    if (terms.preempts) {
        spec.qos.back().preempt = {"normal"};
        spec.scheduling.preemption.by = PreemptBy::qos;
        spec.scheduling.preemption.mode = PreemptMode::requeue;
    }
    if (terms.limits) {
        spec.accounts.push_back({.name = "physics", .parent = "root"});
        AssociationSpec ann{.account = "physics", .user = "ann"};
        ann.limits.max_jobs = 3;
        if (terms.default_times) ann.limits.max_wall = minutes(30);
        spec.associations.push_back(ann);
        spec.scheduling.enforce_limits = true;
    }
    return spec;
}

class WorldOnTerms {
public:
    explicit WorldOnTerms(Rng& rng)
        : rng_(rng), terms_(rng), engine_(testing::make_engine(partitions_on_terms(rng, terms_))) {}

    void run() {
        for (int i = 0; i < 60; ++i) {
            if (rng_.chance(60)) pass_time(engine_, rng_, now_, wake_at_, ends_);
            if (engine_.state().index().pending().size() < 12)
                testing::submit(engine_, now_, random_job());
            if (terms_.shuts && rng_.chance(10)) set_state("a", rng_.chance(50));
            turn();
            if (::testing::Test::HasFatalFailure()) return;
        }
        set_state("a", true);
        for (int i = 0; i < 4000 && !engine_.state().index().pending().empty(); ++i) {
            pass_time(engine_, rng_, now_, wake_at_, ends_);
            turn();
            if (::testing::Test::HasFatalFailure()) return;
        }
        ASSERT_TRUE(engine_.state().index().pending().empty()) << "somebody waits for ever";
    }

private:
    JobSpec random_job() {
        JobSpec spec = random_job_of_several(rng_);
        if (terms_.gangs && rng_.chance(30)) {
            spec.request.edit().nodes_min = 2;
            spec.request.edit().nodes_given = true;
            spec.partition = rng_.chance(50) ? "a,b" : "b,a";
        }
        if (terms_.default_times && rng_.chance(50)) spec.request.edit().time_limit.reset();
        if (terms_.preempts && rng_.chance(20)) spec.qos = "high";
        if (terms_.limits) spec.account = "physics";
        return spec;
    }

    void set_state(const char* partition, bool up) {
        PartitionEdit edit{.name = partition};
        edit.change.state = up ? "UP" : "DOWN";
        engine_.apply(now_, ClusterEdited{{.partitions = {edit}, .nodes = {}}});
    }

    void turn() {
        bool again = true;
        for (int i = 0; again; ++i) {
            ASSERT_LT(i, 100) << "the cycles do not come to an end";
            const Cycle cycle = engine_.cycle(now_, rng_.chance(20) ? 3 : kBudget);
            again = !cycle.complete;
            for (const Fact& decision : cycle.decisions) again = obey(decision) || again;
            wake_at_ = cycle.wake_at;
        }
        engine_.state().check_invariants();
        const auto wrong = check_plan(engine_.state(), now_);
        ASSERT_FALSE(wrong) << *wrong;
    }

    // True: something happened.
    bool obey(const Fact& decision) {
        if (const auto* end = std::get_if<EndJob>(&decision)) {
            testing::finish(engine_, now_, end->job);
            return true;
        }
        const auto* const start = std::get_if<StartJob>(&decision);
        if (start == nullptr) return false;
        const JobId id = start->task_job.value_or(start->job);
        const Job& job = *engine_.state().find_job(id);
        if (job.state != JobState::running) return false;  // Preempted at once.
        const ClusterSpec& spec = engine_.state().spec();
        const auto& nodes = *spec.partition(job.partition).nodes;
        for (const NodeShare& share : start->allocation.shares)
            EXPECT_TRUE(std::ranges::binary_search(nodes, share.node));
        if (!job.spec.request->time_limit) {
            EXPECT_EQ(job.time_limit, default_time_limit(spec, job.partition, job.qos));
        }
        ends_.emplace(now_ + minutes(rng_.between(1, job.time_limit / minutes(1))), id);
        return false;
    }

    Rng& rng_;
    PartitionTerms terms_;
    Engine engine_;
    Time now_{};
    std::optional<Time> wake_at_;
    std::multimap<Time, JobId> ends_;
};

TEST(OtherPartitions, KeepThePlanBesidePreemptionLimitsAndShutPartitions) {
    testing::for_each_seed(100, [](Rng& rng) { WorldOnTerms(rng).run(); });
}

}  // namespace
}  // namespace berth
