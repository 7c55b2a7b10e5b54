// --signal: once for each run, at the requested time before its end.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t kUser2 = 12;

JobSpec warned_job(WarningSignal warning, Duration limit = 10min, std::int64_t gpus = 1) {
    JobSpec spec = testing::make_job({.gpus = gpus});
    spec.request.edit().time_limit = limit;
    spec.command.edit().warning = warning;
    return spec;
}

class Warning : public ::testing::Test {
protected:
    Warning() { rig.connect_all(); }

    std::uint32_t run(JobSpec spec) {
        const std::uint32_t id = rig.submit(std::move(spec));
        if (rig.job(id).state != JobState::running) rig.turn();
        for (const NodeId node : rig.job(id).nodes) rig.started(node.value(), id);
        return id;
    }

    // Lets time pass, with heartbeats; returns the signals sent meanwhile.
    std::vector<SignalAttempt> pass(Duration time) {
        std::vector<SignalAttempt> signals;
        for (const Time until = rig.now + time; rig.now < until;) {
            rig.now = std::min(until, rig.now + 10s);
            for (const std::uint32_t node : {0U, 1U}) {
                rig.report(node, Heartbeat{});
                for (const auto& [to, order] : rig.orders<SignalAttempt>())
                    signals.push_back(order);
            }
        }
        return signals;
    }

    ControlRig rig{2};
};

TEST_F(Warning, ComesSoLongBeforeTheEndAndOnce) {
    const std::uint32_t id = run(warned_job({.signal = kUser2, .before = 90s}));
    EXPECT_LE(rig.last.wake_at, *rig.job(id).started_at + 10min - 90s);
    EXPECT_TRUE(pass(10min - 91s).empty());
    const auto signals = pass(1s);
    ASSERT_EQ(signals.size(), 1U);
    EXPECT_EQ(signals[0].signal, kUser2);
    EXPECT_EQ(signals[0].step, std::nullopt);
    EXPECT_FALSE(signals[0].whole_job);
    EXPECT_TRUE(rig.job(id).warned);
    EXPECT_TRUE(pass(1s).empty());
    rig.restart();  // Nor by the next controller.
    const std::uint32_t node = rig.job(id).nodes.front().value();
    rig.connect(1 - node);
    rig.connect(node, {live_report(id)});
    EXPECT_TRUE(pass(1s).empty());
}

TEST_F(Warning, IsOfTheScriptAloneIfAskedSo) {
    run(warned_job({.signal = kUser2, .before = 60s, .batch = true}));
    const auto signals = pass(9min);
    ASSERT_EQ(signals.size(), 1U);
    EXPECT_EQ(signals[0].step, kBatchStep);
}

TEST_F(Warning, OutlivesARestartOfTheController) {
    const std::uint32_t id = run(warned_job({.signal = kUser2, .before = 60s}));
    const std::uint32_t node = rig.job(id).nodes.front().value();
    rig.restart();
    rig.connect(1 - node);
    rig.connect(node, {live_report(id)});
    EXPECT_EQ(pass(9min).size(), 1U);
}

TEST_F(Warning, GoesByTheLimitAsItIsNow) {
    const std::uint32_t id = run(warned_job({.signal = kUser2, .before = 60s}));
    rig.ask(kOperator, UpdateJob{.job = {JobId(id), {}}, .change = {.time_limit = 20min}});
    EXPECT_TRUE(pass(9min).empty());
    EXPECT_EQ(pass(10min).size(), 1U);
}

TEST_F(Warning, ComesAtOnceWhereTheLimitIsShorter) {
    const std::uint32_t id = run(warned_job({.signal = kUser2, .before = 90s}, 1min));
    rig.turn();
    EXPECT_TRUE(rig.job(id).warned);
}

TEST_F(Warning, ComesAgainInTheNextRun) {
    const std::uint32_t id = run(warned_job({.signal = kUser2, .before = 60s}));
    const std::uint32_t node = rig.job(id).nodes.front().value();
    ASSERT_EQ(pass(9min).size(), 1U);
    ASSERT_TRUE(rig.job(id).warned);
    rig.ask(kAnn, RequeueJob{{JobId(id), {}}, false});
    rig.report(node, end_report(id));
    if (rig.job(id).state == JobState::pending) rig.turn();
    ASSERT_EQ(rig.job(id).attempt, Attempt(2));
    EXPECT_FALSE(rig.job(id).warned);
}

TEST_F(Warning, IsRefusedWhereItMeansNothing) {
    for (const WarningSignal& wrong :
         {WarningSignal{.signal = 0, .before = 1s}, WarningSignal{.signal = 65, .before = 1s},
          WarningSignal{.signal = 10, .before = -1s}, WarningSignal{.signal = 10, .before = 24h}}) {
        EXPECT_EQ(why(rig.ask(kAnn, SubmitJob{warned_job(wrong), {"#!/bin/sh\n", {}}})),
                  Refusal::invalid_request);
    }
}

}  // namespace
}  // namespace berth
