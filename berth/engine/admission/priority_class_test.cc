// Priority classes: the priority that a job has by its class, and whether it may preempt.
#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

ClusterSpec with_classes(bool any_default) {
    ClusterSpec spec = testing::make_cluster(1, {.gpus = 4});
    spec.priority_classes = {{.name = "high", .value = 1000},
                             {.name = "patient", .value = 2000, .preempts = false},
                             {.name = "low", .value = 10, .global_default = any_default}};
    return spec;
}

std::variant<Job, Refusing> ask(const ClusterSpec& spec, const std::string& priority_class,
                                std::optional<std::uint32_t> priority = std::nullopt) {
    ClusterState state;
    state.apply(kNow, SpecInstalled{spec});
    JobSpec job = testing::make_job({.gpus = 4});
    job.request.edit().priority_class = priority_class;
    if (priority) job.priority = *priority;
    return admit(state, kNow, {.uid = 0, .user = "root", .role = Role::admin}, job);
}

std::optional<std::uint32_t> priority_by(const ClusterSpec& spec, const std::string& name) {
    const auto job = ask(spec, name);
    if (!std::holds_alternative<Job>(job)) return std::nullopt;
    const auto& priority = std::get<Job>(job).spec.priority;
    return priority ? std::optional(*priority) : std::nullopt;
}

TEST(PriorityClass, GivesTheJobItsValue) {
    EXPECT_EQ(priority_by(with_classes(false), "high"), 1000U);
    EXPECT_EQ(priority_by(with_classes(false), ""), std::nullopt);
    EXPECT_EQ(priority_by(with_classes(true), ""), 10U);
    EXPECT_EQ(std::get<Job>(ask(with_classes(true), "")).spec.request->priority_class, "low");
    // A priority by hand takes the place of the default; 0 holds the job.
    EXPECT_EQ(std::get<Job>(ask(with_classes(true), "", 77)).spec.priority, 77U);
    EXPECT_EQ(std::get<Job>(ask(with_classes(true), "high", 0)).hold, Hold::user);
}

TEST(PriorityClass, IsRefusedWhereThereIsNoneOrAPriorityToo) {
    const auto message = [](const std::variant<Job, Refusing>& asked) {
        const auto* const no = std::get_if<Refusing>(&asked);
        return no == nullptr ? "admitted" : no->message;
    };
    EXPECT_EQ(message(ask(with_classes(false), "huge")),
              "there is no priority class 'huge'; there are: high, patient, low");
    EXPECT_EQ(message(ask(testing::make_cluster(1), "high")),
              "there is no priority class 'high'; berth.yaml's priority_classes has none");
    EXPECT_EQ(message(ask(with_classes(false), "high", 5)),
              "a job has a priority or a priority class, not both");
}

// preemptionPolicy: Never.
TEST(PriorityClass, MayForbidItsJobsToPreempt) {
    for (const std::string name : {"high", "patient"}) {
        ClusterSpec spec = with_classes(true);
        spec.scheduling.preemption.by = PreemptBy::priority;
        spec.scheduling.preemption.mode = PreemptMode::requeue;
        Engine engine = testing::make_engine(std::move(spec), kNow);
        const JobId run = testing::submit(engine, kNow, testing::make_job({.gpus = 4}));
        engine.cycle(kNow, kBudget);
        JobSpec job = testing::make_job({.gpus = 4});
        job.request.edit().priority_class = name;
        testing::submit(engine, kNow, job);
        engine.cycle(kNow, kBudget);
        const bool preempted = engine.state().find_job(run)->state != JobState::running;
        EXPECT_EQ(preempted, name == "high") << name;
    }
}

}  // namespace
}  // namespace berth
