// PreemptAlways: runs of equal priority are preempted too, if they are newer than the job.
#include <gtest/gtest.h>

#include <set>

#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

constexpr std::uint32_t kSamePriority = 100;

// One node with four GPUs.
ClusterSpec preempting_newer(bool always = true) {
    ClusterSpec spec = testing::make_cluster(1, {.gpus = 4});
    PreemptionSpec& preemption = spec.scheduling.preemption;
    preemption.by = PreemptBy::priority;
    preemption.mode = PreemptMode::requeue;
    preemption.preempts_newer = always;
    return spec;
}

JobSpec of_whole_node(const std::string& priority_class = "") {
    JobSpec spec = testing::make_job({.gpus = 4, .limit = std::chrono::hours(10)});
    if (priority_class.empty()) {
        spec.priority = kSamePriority;
    } else {
        spec.request.edit().priority_class = priority_class;
    }
    return spec;
}

class PreemptNewer : public ::testing::Test {
protected:
    void install(const ClusterSpec& spec) { engine_ = testing::make_engine(spec, now_); }
    JobId submit(const JobSpec& spec) {
        now_ += std::chrono::seconds(1);
        return testing::submit(engine_, now_, spec);
    }
    JobId submit_held(const JobSpec& spec) {
        const JobId id = submit(spec);
        engine_.apply(now_, JobHeld{id, Hold::user});
        return id;
    }
    void release(JobId id) { engine_.apply(now_, JobHeld{id, Hold::none}); }
    // The victims, in the order in which they are chosen.
    std::vector<JobId> cycle() {
        std::vector<JobId> victims;
        const Cycle cycle = engine_.cycle(now_, kBudget);
        for (const Fact& fact : cycle.decisions) {
            const auto* const one = std::get_if<JobsPreempted>(&fact);
            if (one == nullptr) continue;
            for (const JobsPreempted::Victim& victim : one->victims) victims.push_back(victim.job);
        }
        return victims;
    }
    JobState state_of(JobId id) const { return engine_.state().find_job(id)->state; }

    Engine engine_;
    Time now_ = kNow;
};

TEST_F(PreemptNewer, AnOlderJobPreemptsANewerRunOnce) {
    install(preempting_newer());
    const JobId old = submit_held(of_whole_node());
    const JobId young = submit(of_whole_node());
    EXPECT_EQ(cycle(), std::vector<JobId>{});
    ASSERT_EQ(state_of(young), JobState::running);
    release(old);
    EXPECT_EQ(cycle(), std::vector{young});
    testing::finish(engine_, now_, young);
    EXPECT_EQ(cycle(), std::vector<JobId>{});
    EXPECT_EQ(state_of(old), JobState::running);
    EXPECT_EQ(state_of(young), JobState::pending);
    for (int i = 0; i < 100; ++i) {  // However long it waits.
        now_ += std::chrono::minutes(5);
        ASSERT_EQ(cycle(), std::vector<JobId>{});
    }
}

TEST_F(PreemptNewer, WithoutThePolicyEqualsAreLeftAlone) {
    install(preempting_newer(false));
    const JobId old = submit_held(of_whole_node());
    const JobId young = submit(of_whole_node());
    cycle();
    release(old);
    EXPECT_EQ(cycle(), std::vector<JobId>{});
    EXPECT_EQ(state_of(young), JobState::running);
}

TEST_F(PreemptNewer, AnArrayDoesNotPreemptItsOwnTasks) {
    install(preempting_newer());
    JobSpec spec = of_whole_node();
    spec.array = ArraySpec{.tasks = {0, 1, 2}, .max_running = 0};
    const JobId array = submit(spec);
    EXPECT_EQ(cycle(), std::vector<JobId>{});
    now_ += std::chrono::minutes(1);
    EXPECT_EQ(cycle(), std::vector<JobId>{});
    // The first task runs under its own record, which is younger than that of the others.
    EXPECT_EQ(engine_.state().find_job(array)->spec.array->tasks.size(), 2U);
    // A task does preempt the run of another job that is newer.
    for (const JobId id : std::set<JobId>(engine_.state().index().holding().begin(),
                                          engine_.state().index().holding().end())) {
        testing::finish(engine_, now_, id);
    }
    engine_.apply(now_, JobHeld{array, Hold::user});
    const JobId young = submit(of_whole_node());
    EXPECT_EQ(cycle(), std::vector<JobId>{});
    ASSERT_EQ(state_of(young), JobState::running);
    release(array);
    EXPECT_EQ(cycle(), std::vector{young});
}

// What a newer job looked for in vain, an older one of the same shape may find.
TEST_F(PreemptNewer, AnOlderJobIsNotHeldOffByTheFailureOfANewerOne) {
    install(preempting_newer());
    const JobId old = submit_held(of_whole_node());
    const JobId run = submit(of_whole_node());
    cycle();
    submit(of_whole_node());
    EXPECT_EQ(cycle(), std::vector<JobId>{});
    release(old);
    EXPECT_EQ(cycle(), std::vector{run});
}

TEST_F(PreemptNewer, TheLowerPriorityEndsBeforeTheNewest) {
    install(preempting_newer());
    const auto of_gpus = [](std::int64_t gpus, std::uint32_t priority) {
        JobSpec spec = testing::make_job({.gpus = gpus, .limit = std::chrono::hours(10)});
        spec.priority = priority;
        return spec;
    };
    const JobId old = submit_held(of_gpus(2, kSamePriority));
    const JobId low = submit(of_gpus(1, kSamePriority - 1));
    for (int i = 0; i < 2; ++i) submit(of_gpus(1, kSamePriority));
    const JobId newest = submit(of_gpus(1, kSamePriority));
    EXPECT_EQ(cycle(), std::vector<JobId>{});
    release(old);
    EXPECT_EQ(cycle(), (std::vector{low, newest}));
}

TEST_F(PreemptNewer, PriorityClassesMaySayOtherwise) {
    for (const bool of_all : {false, true}) {
        for (const bool of_class : {false, true}) {
            ClusterSpec spec = preempting_newer(of_all);
            spec.priority_classes = {
                {.name = "own", .value = kSamePriority, .preempts_newer = of_class},
                {.name = "any", .value = kSamePriority}};
            for (const std::string name : {"own", "any"}) {
                install(spec);
                const JobId old = submit_held(of_whole_node(name));
                const JobId young = submit(of_whole_node("any"));
                cycle();
                ASSERT_EQ(state_of(young), JobState::running);
                release(old);
                const bool wanted = name == "own" ? of_class : of_all;
                EXPECT_EQ(!cycle().empty(), wanted) << name << of_all << of_class;
            }
        }
    }
}

}  // namespace
}  // namespace berth
