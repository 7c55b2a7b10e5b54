// Properties of step layouts over random jobs and requests.
#include <gtest/gtest.h>

#include <algorithm>

#include "berth/engine/steps/step_layout.h"
#include "berth/testing/random_facts.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

TaskLayout random_layout(Rng& rng) {
    const auto order = [&] { return static_cast<CoreOrder>(rng.between(0, 3)); };
    const auto most = [&] { return static_cast<std::uint32_t>(rng.between(0, 3)); };
    return {.per_socket = most(),
            .per_core = most(),
            .over_sockets = order(),
            .over_cores = order(),
            .pack = rng.chance(30)};
}

StepRequest random_request(Rng& rng) {
    static const std::vector<std::string> binds = {"",          "closest",      "single:2",
                                                   "none",      "per_task:1",   "map_gpu:0",
                                                   "map_gpu:1", "mask_gpu:0x3", "verbose,single:1"};
    const auto upto = [&](std::int64_t most) {
        return static_cast<std::uint32_t>(rng.between(1, most));
    };
    StepRequest request{.tasks = upto(8), .exact = rng.chance(60), .overlap = rng.chance(20)};
    if (rng.chance(20)) request.nodes = upto(3);
    if (rng.chance(20)) request.tasks_per_node = upto(4);
    if (rng.chance(40)) request.cpus_per_task = upto(4);
    if (rng.chance(30)) request.gres = {{"gpu", "", rng.between(0, 4)}};
    if (rng.chance(20)) request.gpus = rng.between(1, 8);
    if (rng.chance(20)) request.gpus_per_task = rng.between(1, 2);
    request.gres_none = rng.chance(10);
    request.gpu_bind = rng.pick(binds);
    if (rng.chance(30)) request.cpu_bind = rng.chance(50) ? "cores" : "none";
    if (rng.chance(30)) request.layout = random_layout(rng);
    return request;
}

// A state in which one job runs on some nodes.
JobId start_job(Rng& rng, ClusterState& state) {
    state.apply(Time{}, SpecInstalled{testing::random_cluster(rng)});
    Job job;
    job.id = state.next_job_id();
    if (rng.chance(50)) job.spec.request.edit().nearness.edit().layout = random_layout(rng);
    state.apply(Time{}, JobSubmitted{job});
    StartJob start{.job = job.id, .attempt = Attempt(1)};
    for (std::size_t n = 0; n < state.spec().nodes.size(); ++n) {
        if (n > 0 && rng.chance(50)) continue;
        const NodeId node = NodeId::from_index(n);
        const auto cores = static_cast<std::int64_t>(state.nodes().free(node).cores.count());
        start.allocation.shares.push_back(
            testing::free_share(state, node, static_cast<std::uint32_t>(rng.between(1, cores)),
                                static_cast<std::uint32_t>(rng.between(0, 8))));
    }
    state.apply(Time{}, start);
    return job.id;
}

void expect_sound(const Step& step, const StepRequest& request) {
    std::uint32_t rank = 0;
    for (const StepShare& share : step.shares) {
        ASSERT_FALSE(share.tasks.empty());
        for (const TaskPlace& task : share.tasks) {
            EXPECT_EQ(task.rank, rank++);
            EXPECT_FALSE(task.cores.empty());
            EXPECT_TRUE(task.cores.is_subset_of(share.cores));
            EXPECT_EQ(task.devices & ~share.devices, 0U);
        }
        if (request.tasks_per_node) {
            EXPECT_LE(share.tasks.size(), *request.tasks_per_node);
        }
        if (request.gres_none) {
            EXPECT_EQ(share.devices, 0U);
        }
    }
    EXPECT_EQ(rank, request.tasks);
    EXPECT_EQ(step.tasks, request.tasks);
    if (request.nodes) {
        EXPECT_EQ(step.nodes.size(), std::min(*request.nodes, request.tasks));
    }
}

TEST(StepProperties, LayoutsAreWholeWithinTheirJobAndApartFromOtherSteps) {
    int laid_out = 0, busy = 0, never = 0;
    testing::for_each_seed(300, [&](Rng& rng) {
        ClusterState state;
        const JobId id = start_job(rng, state);
        for (int i = 0; i < 30; ++i) {
            const Job& job = *state.find_job(id);
            const auto running = std::ranges::find(job.steps, StepState::running, &Step::state);
            if (running != job.steps.end() && rng.chance(40)) {
                // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it changes.
                const Step step = *running;
                for (const NodeId node : step.nodes) {
                    state.apply(Time{}, StepEnded{id, Attempt(1), step.id, node, {}});
                }
                continue;
            }
            const StepRequest request = random_request(rng);
            const auto answer = lay_out_step(state, Time{}, job, request);
            if (const auto* no = std::get_if<Refusing>(&answer)) {
                ++(no->why == Refusal::step_resources_busy ? busy : never);
                continue;
            }
            ++laid_out;
            expect_sound(std::get<Step>(answer), request);
            state.apply(Time{}, StepCreated{id, Attempt(1), std::get<Step>(answer)});
            state.check_invariants();
        }
    });
    if (testing::number_in_environment("BERTH_SEED")) return;
    EXPECT_GT(laid_out, testing::scaled(500));  // The test must have covered something.
    EXPECT_GT(busy, testing::scaled(100));
    EXPECT_GT(never, testing::scaled(100));
}

TEST(StepProperties, WhatIsBusyFitsOnceTheOthersAreDone) {
    testing::for_each_seed(300, [](Rng& rng) {
        ClusterState state;
        const JobId id = start_job(rng, state);
        const Job& job = *state.find_job(id);
        for (int i = 0; i < 10; ++i) {
            const auto answer = lay_out_step(state, Time{}, job, random_request(rng));
            if (const auto* step = std::get_if<Step>(&answer)) {
                state.apply(Time{}, StepCreated{id, Attempt(1), *step});
            }
        }
        const StepRequest last = random_request(rng);
        const auto refused = lay_out_step(state, Time{}, job, last);
        const auto* no = std::get_if<Refusing>(&refused);
        if (no == nullptr || no->why != Refusal::step_resources_busy) return;
        for (const Step& step : std::vector<Step>(job.steps)) {
            for (const NodeId node : step.nodes) {
                state.apply(Time{}, StepEnded{id, Attempt(1), step.id, node, {}});
            }
        }
        const auto again = lay_out_step(state, Time{}, job, last);
        const auto* still = std::get_if<Refusing>(&again);
        EXPECT_TRUE(still == nullptr || still->why == Refusal::invalid_request);
    });
}

}  // namespace
}  // namespace berth
