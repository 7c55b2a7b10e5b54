// LentCores: an engine whose runs are suspended for others, and that is checked after each step:
// its invariants, its plan, and the books that an engine made anew from the state would have.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "berth/engine/derived/derived_state.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/engine/state/lent_cores.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {

// Nodes with 8 cores and 2 GPUs; partitions "main" and, above it, "high" and "top".
inline ClusterSpec lending_cluster(std::uint32_t nodes = 1) {
    ClusterSpec spec =
        testing::make_cluster(nodes, {.sockets = 1, .cores_per_socket = 8, .gpus = 2});
    spec.scheduling.preemption.by = PreemptBy::partition;
    spec.scheduling.preemption.mode = PreemptMode::suspend;
    for (const auto& [name, tier] : {std::pair("high", 5), std::pair("top", 9)}) {
        PartitionSpec one = spec.partitions.front();
        one.name = name;
        one.is_default = false;
        one.priority_tier = tier;
        spec.partitions.push_back(one);
    }
    return spec;
}

// For tests only.
class LentCores : public ::testing::Test {
protected:
    explicit LentCores(ClusterSpec spec = lending_cluster())
        : engine(testing::make_engine(std::move(spec), at(0))) {}
    ~LentCores() override { check(); }

    // A cycle that leaves the rest to the next one may leave planned starts there that have lost
    // their room to what it has started.
    void check(bool plan_is_whole = true) {
        engine.state().check_invariants();
        if (plan_is_whole) {
            EXPECT_EQ(check_plan(engine.state(), now), std::nullopt);
        }
        const Engine again = copy_of(engine);
        again.state().check_invariants();
        EXPECT_EQ(again.state().hash(), engine.state().hash());
        for (std::size_t n = 0; n < engine.state().spec().nodes.size(); ++n) {
            const NodeId node = NodeId::from_index(n);
            EXPECT_EQ(again.state().nodes().free(node), engine.state().nodes().free(node));
        }
        check_same_plan(again);
    }
    // The plan that has followed fact by fact books what one made anew books. A run that is over
    // its expected end was extended: only the older plan knows by how much.
    void check_same_plan(const Engine& again) const {
        const PlanBook& book = engine.derived().book;
        const PlanBook& anew = again.derived().book;
        bool any_late = false;
        for (const auto& [id, job] : engine.state().jobs()) {
            const PlannedReservation* const one = book.find(id);
            const PlannedReservation* const other = anew.find(id);
            ASSERT_EQ(one == nullptr, other == nullptr) << to_string(id);
            if (one == nullptr) continue;
            PlannedReservation left = *one, right = *other;
            const bool late = left.running() && left.due() <= now;
            if (late) left.end = right.end;
            any_late = any_late || late;
            EXPECT_EQ(left.end, right.end) << to_string(id);
            EXPECT_TRUE(*left.rarely->lent == *right.rarely->lent) << to_string(id);
            EXPECT_TRUE(left == right) << to_string(id);
        }
        if (any_late) return;
        for (std::size_t n = 0; n < engine.state().spec().nodes.size(); ++n) {
            const NodeId node = NodeId::from_index(n);
            EXPECT_EQ(from_now_on(book.timeline(node)), from_now_on(anew.timeline(node)));
        }
    }
    // "1000:0,5,2, 4600:8,5,2,": what is free from now on, and since when.
    std::string from_now_on(const Timeline& timeline) const {
        std::string text, last;
        for (std::size_t i = timeline.step_at(now); i < timeline.size(); ++i) {
            std::string free;
            for (const std::int64_t one : timeline.free(i)) free += std::to_string(one) + ",";
            if (free == last) continue;
            text += std::to_string((std::max(timeline.start(i), now) - Time{}).count()) + ":" +
                    free + " ";
            last = std::move(free);
        }
        return text;
    }

    // Time passes, and then the scheduler has its cycles.
    void pass(Duration time) {
        now += time;
        for (int i = 0; i < 100; ++i) {
            const Cycle cycle = engine.cycle(now, kBudget);
            for (const Fact& fact : cycle.decisions) {
                if (std::holds_alternative<JobsPreempted>(fact)) ++preemptions;
            }
            check(cycle.complete);
            if (cycle.complete) return;
        }
        FAIL() << "the cycles do not come to an end";
    }
    JobId submit(const std::string& partition, const testing::JobOptions& options) {
        return submit(partition, testing::make_job(options));
    }
    JobId submit(const std::string& partition, JobSpec spec) {
        if (partition != "main") spec.partition = partition;
        return testing::submit(engine, now, spec);
    }
    JobId run(const std::string& partition, const testing::JobOptions& options) {
        return run(partition, testing::make_job(options));
    }
    JobId run(const std::string& partition, const JobSpec& spec) {
        const JobId id = submit(partition, spec);
        pass(std::chrono::seconds(1));
        EXPECT_EQ(job(id).state, JobState::running);
        return id;
    }
    // All nodes of it have proved that it stands still.
    void freeze(JobId id) {
        engine.apply(now, JobFrozen{id, job(id).attempt, job(id).suspension->changes});
    }
    void cancel_pending(JobId id) { engine.apply(now, JobCancelled{.job = id}); }
    const Job& job(JobId id) const { return *engine.state().find_job(id); }
    bool runs(JobId id) const {
        return job(id).state == JobState::running && !job(id).is_suspended();
    }
    bool stands(JobId id) const { return stands_still(job(id)); }
    const NodeShare& share(JobId id) const { return job(id).allocation->shares.front(); }
    const PlannedStart* planned(JobId id) const { return engine.state().schedule().planned(id); }

    static constexpr NodeId kNode{0};
    Time now = at(1000);
    Engine engine;
    int preemptions = 0;
};

}  // namespace berth
