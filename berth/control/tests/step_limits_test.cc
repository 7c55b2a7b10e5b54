// A step's own time limit: it is ended when that is over, once, and by the next controller too.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

class StepLimit : public ::testing::Test {
protected:
    StepLimit() {
        rig.connect_all();
        job = rig.run({.nodes = 2, .gpus = 8, .cpus = 16});
    }

    StepId create(std::optional<Duration> limit) {
        CreateStep step{.job = {JobId(job), {}}};
        step.request = {.name = "train", .tasks = 2, .nodes = 2};
        step.request.overlap = true;
        step.request.time_limit = limit;
        const Answer answer = rig.ask(kAnn, step);
        const auto* const placed = std::get_if<StepPlaced>(&answer);
        if (placed == nullptr) throw std::runtime_error("no step");
        for (const std::uint32_t node : {0U, 1U}) {
            rig.report(node, StepStarted{JobId(job), Attempt{1}, placed->step.id});
        }
        return placed->step.id;
    }

    // Lets time pass, with heartbeats; returns the orders to end steps.
    std::vector<std::pair<std::uint32_t, EndStep>> pass(Duration time) {
        std::vector<std::pair<std::uint32_t, EndStep>> ends;
        for (const Time until = rig.now + time; rig.now < until;) {
            rig.now = std::min(until, rig.now + 10s);
            for (const std::uint32_t node : {0U, 1U}) {
                rig.report(node, Heartbeat{});
                for (const auto& end : rig.orders<EndStep>()) ends.push_back(end);
            }
        }
        return ends;
    }

    const Step& step(StepId id) {
        const std::vector<Step>& steps = *rig.job(job).steps;
        return *std::ranges::find(steps, id, &Step::id);
    }
    void report_end(StepId id, ExitStatus exit) {
        for (const std::uint32_t node : {0U, 1U}) {
            StepReport report{.job = JobId(job), .attempt = Attempt{1}, .step = id};
            report.exit = exit;
            rig.report(node, report);
        }
    }
    Answer update(std::optional<StepId> id, std::optional<Duration> limit,
                  const Principal& who = kAnn) {
        return rig.ask(who, UpdateStep{{JobId(job), {}}, id, limit});
    }

    ControlRig rig{2};
    std::uint32_t job = 0;
};

TEST_F(StepLimit, EndsItOnEachOfItsNodesAndIsCalledTimeout) {
    const StepId id = create(60s);
    EXPECT_LE(rig.last.wake_at, rig.now + 60s);
    EXPECT_TRUE(pass(59s).empty());
    const auto ends = pass(1s);
    ASSERT_EQ(ends.size(), 2U);
    EXPECT_NE(ends[0].first, ends[1].first);
    EXPECT_EQ(ends[0].second.step, id);
    EXPECT_EQ(ends[0].second.reason, EndReason::time_limit);
    report_end(id, {.code = 0, .signal = 15});
    EXPECT_EQ(step(id).state, StepState::timeout);
    EXPECT_EQ(rig.job(job).state, JobState::running);
    EXPECT_TRUE(pass(60s).empty());
}

TEST_F(StepLimit, IsThatOfThisStepAlone) {
    const StepId free = create(std::nullopt), late = create(90s), early = create(30s);
    const auto ends = pass(31s);
    ASSERT_EQ(ends.size(), 2U);
    EXPECT_EQ(ends[0].second.step, early);
    report_end(early, {});
    EXPECT_EQ(step(early).state, StepState::timeout) << "though it obeyed the signal with 0";
    report_end(late, {});
    EXPECT_EQ(step(late).state, StepState::completed);
    EXPECT_TRUE(pass(90s).empty());
    EXPECT_EQ(step(free).state, StepState::running);
}

TEST_F(StepLimit, IsKeptByTheNextController) {
    const StepId id = create(60s);
    rig.now += 70s;
    rig.restart();
    rig.turn();
    EXPECT_TRUE(step(id).out_of_time);
    rig.connect(0, {live_report(job, 1, {id})});
    ASSERT_EQ(rig.orders<EndStep>().size(), 1U);
    EXPECT_EQ(rig.orders<EndStep>()[0].second.reason, EndReason::time_limit);
}

TEST_F(StepLimit, DoesNotCountWhileItsJobStandsStill) {
    create(60s);
    pass(30s);
    rig.ask(kOperator, SuspendJob{{JobId(job), {}}});
    EXPECT_TRUE(pass(120s).empty());
    rig.ask(kOperator, SuspendJob{{JobId(job), {}}, true});
    EXPECT_TRUE(pass(29s).empty());
    EXPECT_EQ(pass(2s).size(), 2U);
}

TEST_F(StepLimit, CanBeChangedWhileItRuns) {
    const StepId id = create(60s);
    EXPECT_TRUE(std::holds_alternative<Done>(update(id, 120s)));
    EXPECT_TRUE(pass(119s).empty());
    EXPECT_TRUE(std::holds_alternative<Done>(update(std::nullopt, std::nullopt)));
    EXPECT_TRUE(pass(120s).empty());
    EXPECT_TRUE(std::holds_alternative<Done>(update(id, 10s)));  // That is over.
    EXPECT_EQ(pass(1s).size(), 2U);
}

TEST_F(StepLimit, IsChangedByOwnersAndOperatorsAndOfRunningStepsAlone) {
    EXPECT_EQ(why(update(std::nullopt, 60s)), Refusal::unknown_step);
    const StepId id = create(60s);
    EXPECT_EQ(why(update(id, 90s, kBob)), Refusal::not_allowed);
    EXPECT_TRUE(std::holds_alternative<Done>(update(id, 90s, kOperator)));
    EXPECT_EQ(why(update(StepId(9), 60s)), Refusal::unknown_step);
    report_end(id, {});
    EXPECT_EQ(why(update(id, 60s)), Refusal::unknown_step);
}

}  // namespace
}  // namespace berth
