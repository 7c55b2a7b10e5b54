// An engine that follows edits of the configuration, beside one that is made anew from the same
// state: both go on alike.
#pragma once

#include <gtest/gtest.h>

#include "berth/engine/derived/derived_state.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {

// Cycles until none starts anything: what starts in one shuts out others only in the next. Returns
// how many have started.
inline std::uint32_t settle_all(Engine& engine, Time now) {
    std::uint32_t starts = 0;
    for (bool any = true; any;) {
        any = false;
        engine.apply(now, JobsEligible{});  // Says nothing, but a cycle follows.
        for (bool complete = false; !complete;) {
            const Cycle cycle = engine.cycle(now, kBudget);
            starts += cycle.work.starts;
            any = any || cycle.work.starts > 0;
            complete = cycle.complete;
        }
    }
    return starts;
}

// Nodes report the ends of the runs whose time is up, so that none overruns it.
inline void end_runs_in_time(Engine& engine, Time now) {
    settle_all(engine, now);
    for (const JobId id : JobSet(engine.state().index().holding())) {
        if (engine.state().find_job(id)->state == JobState::completing) {
            testing::finish(engine, now, id);
        }
    }
    settle_all(engine, now);
}

// Made anew, with the fair shares that hold until the period ends.
inline Engine made_anew(const Engine& engine) {
    Engine made = copy_of(engine);
    made.undo(made.mutable_state().checkpoint(), engine.derived().fair_shares);
    return made;
}

// Where something has started, plans may differ: a limit that it reached is noticed for a job that
// is tried in the same cycle, for others in the next.
inline void expect_as_anew(const Engine& one, const Engine& other, bool has_started) {
    for (const auto& [id, pending] : one.derived().pending.all()) {
        const PendingJob* const there = other.derived().pending.find(id);
        ASSERT_NE(there, nullptr) << to_string(id);
        ASSERT_EQ(pending.blocking.reason, there->blocking.reason) << to_string(id);
        ASSERT_EQ(pending.priority(), there->priority()) << to_string(id);
        ASSERT_EQ(pending.ordered, there->ordered) << to_string(id);
        ASSERT_EQ(one.state().schedule().reason(id), other.state().schedule().reason(id))
            << to_string(id);
        if (has_started) continue;
        const PlannedStart* const planned = one.state().schedule().planned(id);
        const PlannedStart* const plan = other.state().schedule().planned(id);
        ASSERT_EQ(planned == nullptr, plan == nullptr) << to_string(id);
        if (planned == nullptr) continue;
        ASSERT_EQ(planned->start.time_since_epoch(), plan->start.time_since_epoch())
            << to_string(id);
        ASSERT_EQ(*planned, *plan) << to_string(id);
    }
    for (const auto& [id, job] : one.state().jobs()) {
        if (has_started && job.allocation) continue;  // Where it runs depends on what is planned.
        ASSERT_EQ(job, *other.state().find_job(id)) << to_string(id);
    }
    if (has_started) return;
    ASSERT_EQ(one.state().hash(), other.state().hash());
}

}  // namespace berth
