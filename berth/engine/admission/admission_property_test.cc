// Properties of admission over random clusters and requests.
#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/engine/placement/demand.h"
#include "berth/engine/placement/placement.h"
#include "berth/testing/fixed_view.h"
#include "berth/testing/random_facts.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

JobSpec random_spec(Rng& rng) {
    const auto upto = [&](std::int64_t most) {
        return static_cast<std::uint32_t>(rng.between(1, most));
    };
    JobSpec spec;
    JobRequest& request = spec.request.edit();
    if (rng.chance(40)) {
        request.nodes_given = true;
        request.nodes_min = upto(4);
        if (rng.chance(50)) request.nodes_max = request.nodes_min + upto(3) - 1;
    }
    if (rng.chance(40)) request.tasks = upto(20);
    if (rng.chance(30)) request.tasks_per_node = upto(6);
    if (rng.chance(40)) request.cpus_per_task = upto(40);
    if (rng.chance(20)) request.memory_per_node = gib(rng.between(0, 400));
    if (rng.chance(20)) request.gpus = {{"gpu", rng.chance(70) ? "" : "a100", rng.between(1, 12)}};
    if (rng.chance(20)) request.gpus_per_node = {{"gpu", "", rng.between(1, 8)}};
    if (rng.chance(15)) request.gpus_per_task = {{"gpu", "", rng.between(1, 3)}};
    if (rng.chance(10)) request.exclusive = true;
    if (rng.chance(15)) request.nodelist = {"node" + std::to_string(rng.between(1, 7))};
    if (rng.chance(10)) request.exclude = {"node[1-" + std::to_string(rng.between(1, 3)) + "]"};
    return spec;
}

// Admission takes a shortcut where it can. It must admit exactly the jobs that placement could
// serve.
TEST(AdmissionProperties, AdmitsExactlyWhatTheEmptyPartitionCouldServe) {
    int admitted = 0, refused = 0;
    testing::for_each_seed(6000, [&](Rng& rng) {
        ClusterState state;
        state.apply(Time{}, SpecInstalled{testing::random_cluster(rng)});
        testing::FixedView view;
        view.cluster = state.spec();
        const JobSpec spec = random_spec(rng);
        const auto answer = admit(state, Time{}, Principal{.user = "ann"}, spec);
        const auto* no = std::get_if<Refusing>(&answer);
        if (no != nullptr &&
            (no->why == Refusal::invalid_request || no->why == Refusal::invalid_node_list ||
             no->why == Refusal::unknown_gres)) {
            return;  // Refused for another reason than capacity.
        }
        Job job;
        job.spec = spec;
        if (no == nullptr) job = std::get<Job>(answer);
        // Skip: the list of excluded nodes is not expanded yet.
        if (no != nullptr && !spec.request->exclude.empty()) return;
        const Demand demand = demand_of(state.spec(), job);
        // Skip: a job that wants more nodes than exist is admitted and pends.
        if (demand.nodes_min > state.spec().nodes.size()) return;
        const Policy policy;
        const bool could = could_ever_run(demand, {policy.placement(), view});
        ++(no == nullptr ? admitted : refused);
        EXPECT_EQ(no == nullptr, could) << (no == nullptr ? "admitted" : no->message);
    });
    if (testing::number_in_environment("BERTH_SEED")) return;
    EXPECT_GT(admitted, testing::scaled(300));
    EXPECT_GT(refused, testing::scaled(300));
}

}  // namespace
}  // namespace berth
