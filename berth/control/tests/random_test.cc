// Random agents and clients, most of them wrong: for any input, the controller stays consistent and
// its records yield its state again.
#include "berth/control/core/decision_check.h"
#include "berth/control/orders/reconcile.h"
#include "berth/control/tests/control_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

class RandomWorld {
public:
    explicit RandomWorld(Rng& rng) : rng_(rng), rig_(kNodes) { rig_.connect_all(); }

    void step() {
        switch (rng_.between(0, 9)) {
            case 0: return submit();
            case 1: return command();
            case 2: return rng_.chance(10) ? reconfigure() : node_command();
            case 3: return register_node();
            case 4: return void(rig_.lose_link(node()));
            case 5: return void(rig_.wait(std::chrono::seconds(rng_.between(0, 200))));
            default: return report();
        }
    }
    void restart() { rig_.restart(); }
    const std::vector<Record>& records() const { return rig_.records; }

private:
    static constexpr std::uint32_t kNodes = 3;

    std::uint32_t number(std::int64_t most) {
        return static_cast<std::uint32_t>(rng_.between(0, most));
    }
    std::uint32_t node() { return number(kNodes - 1); }
    const Principal& somebody() {
        static const std::vector<Principal> all = {kAnn, kAnn, kBob, kOperator, kRoot, kNobody};
        return rng_.pick(all);
    }

    // Mostly an existing job and its current attempt.
    AttemptId attempt() {
        if (rng_.chance(80) && !rig_.state().jobs().empty()) {
            const auto at = rng_.between(0, static_cast<int>(rig_.state().jobs().size()) - 1);
            const Job& job = (*std::next(rig_.state().jobs().begin(), at)).second;
            const std::uint32_t back = rng_.chance(80) ? 0 : 1;
            return {job.id, Attempt(job.attempt.value() - std::min(back, job.attempt.value()))};
        }
        return {JobId(number(60)), Attempt(number(3))};
    }
    JobRef ref() {
        JobRef ref{attempt().job, {}};
        while (rng_.chance(20)) ref.array_tasks.push_back(number(6));
        return ref;
    }

    void submit() {
        JobSpec spec = testing::make_job({.nodes = 1 + number(2), .gpus = number(9)});
        spec.hold = rng_.chance(10);
        if (rng_.chance(20)) spec.array = ArraySpec{{0, 1, 2, 5}, number(2)};
        if (rng_.chance(20)) spec.request_id = "request-" + std::to_string(number(3));
        if (rng_.chance(20)) {
            spec.dependencies = {{.kind = DependencyKind::afterok, .job = attempt().job}};
        }
        if (rng_.chance(20)) spec.requeue = rng_.chance(50);
        rig_.ask(somebody(), SubmitJob{spec, {"#!/bin/sh\n", {}}});
    }

    void command() {
        static const std::vector<std::int32_t> signals = {0, 0, 0, 9, 10, 70};
        CancelJob cancel{.job = ref(), .signal = rng_.pick(signals)};
        if (rng_.chance(20)) cancel.step = StepId(number(2));
        cancel.batch_only = rng_.chance(10);
        CreateStep step{.job = ref()};
        step.request.tasks = 1 + number(2);
        UpdateJob update{.job = ref()};
        update.change.time_limit = std::optional(Duration(std::chrono::minutes(number(90))));
        const Command commands[] = {
            cancel,
            HoldJob{ref(), static_cast<Hold>(number(2))},
            RequeueJob{ref(), rng_.chance(30)},
            update,
            step,
            ExplainJob{ref()},
            HashState{},
        };
        rig_.ask(somebody(), commands[number(6)]);
    }

    void node_command() {
        UpdateNode update{"node" + std::to_string(1 + number(3)), NodeAction::resume, "why not"};
        if (rng_.chance(60)) update.action = static_cast<NodeAction>(number(3));
        rig_.ask(somebody(), update);
    }

    // Nodes and a partition come and go.
    void reconfigure() {
        ClusterSpec spec = testing::make_cluster(2 + number(3));
        if (rng_.chance(50)) {
            PartitionSpec more = spec.partitions[0];
            more.name = "more";
            more.is_default = false;
            spec.partitions.push_back(more);
        }
        if (rng_.chance(50)) spec.nodes.edit(0).weight = number(5);
        rig_.ask(kRoot, Reconfigure{std::make_shared<const ClusterSpec>(std::move(spec)), {}});
    }

    AttemptReport attempt_report() {
        const AttemptId is = attempt();
        AttemptReport report{.job = is.job, .attempt = is.attempt, .live = rng_.chance(50)};
        if (rng_.chance(50)) report.batch_exit = ExitStatus{.code = rng_.chance(30)};
        report.never_ran = rng_.chance(20);
        report.out_of_memory = rng_.chance(10);
        if (rng_.chance(20)) report.failure = "it failed";
        while (rng_.chance(30)) report.live_steps.push_back(StepId(number(2)));
        return report;
    }
    StepReport step_report() {
        const AttemptId is = attempt();
        return {.job = is.job, .attempt = is.attempt, .step = StepId(number(2)), .exit = {}};
    }

    void register_node() {
        std::vector<AttemptReport> attempts;
        std::vector<StepReport> steps;
        while (rng_.chance(60)) attempts.push_back(attempt_report());
        while (rng_.chance(30)) steps.push_back(step_report());
        const std::uint32_t which = node();
        if (rng_.chance(30)) rig_.reboot(which);
        if (rng_.chance(10)) rig_.agents[which].instance = "other";
        rig_.connect(which, attempts, steps);
    }

    void report() {
        const AttemptId is = attempt();
        const ReportBody bodies[] = {AttemptStarted{is.job, is.attempt},
                                     StepStarted{is.job, is.attempt, StepId(number(2))},
                                     Heartbeat{}, attempt_report(), step_report()};
        AgentInput input = rig_.report_of(node(), bodies[number(4)]);
        if (rng_.chance(5)) input.report.session += 1;
        std::vector<Input> inputs = {input};
        if (rng_.chance(20)) inputs.push_back(input);
        rig_.turn(inputs);
    }

    Rng& rng_;
    ControlRig rig_;
};

TEST(RandomWorld, NeverMakesTheControllerContradictItself) {
    testing::for_each_seed(60, [](Rng& rng) {
        RandomWorld world(rng);
        for (int i = 0; i < 250; ++i) {
            world.step();
            if (rng.between(1, 100) == 1) world.restart();
        }
        world.restart();
    });
}

TEST(RandomWorld, IsDecidedAgainTheSame) {
    std::uint64_t decisions = 0;
    testing::for_each_seed(60, [&](Rng& rng) {
        RandomWorld world(rng);
        for (int i = 0; i < 250; ++i) {
            world.step();
            if (rng.between(1, 100) == 1) world.restart();
        }
        DecisionCheck check{ClusterState()};
        for (const Record& record : world.records()) {
            const auto difference = check.take(record);
            ASSERT_FALSE(difference) << "record " << difference->sequence << ": "
                                     << difference->recorded << " / " << difference->ours;
        }
        EXPECT_EQ(check.put_off(), 0U);
        decisions += check.decisions();
    });
    EXPECT_GT(decisions, testing::scaled(1000U));
}

}  // namespace
}  // namespace berth
