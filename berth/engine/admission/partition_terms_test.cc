// What the keys of a partition make of a submission.
#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

ClusterSpec four_nodes() {
    return testing::make_cluster(4, {.sockets = 2, .cores_per_socket = 16, .gpus = 8});
}

class TermsOfPartition : public ::testing::Test {
protected:
    void install(ClusterSpec spec) { state_.apply(kNow, SpecInstalled{std::move(spec)}); }
    Job admitted(const JobSpec& spec) const {
        auto job = admit(state_, kNow, owner_, spec);
        if (const auto* no = std::get_if<Refusing>(&job)) {
            ADD_FAILURE() << no->message;
            return {};
        }
        return std::get<Job>(job);
    }

    std::optional<Refusal> why(const JobSpec& spec) const {
        const auto answer = admit(state_, kNow, owner_, spec);
        const auto* const no = std::get_if<Refusing>(&answer);
        return no == nullptr ? std::nullopt : std::optional(no->why);
    }

    ClusterState state_;
    Principal owner_{.uid = 1000, .gid = 1000, .user = "ann", .group = "users"};
};

// DefCpuPerGPU=3 and DefMemPerGPU=1000: as a user would have written it.
TEST_F(TermsOfPartition, DefaultsForEachGpuAreTheJobsRequest) {
    ClusterSpec spec = four_nodes();
    for (PartitionSpec& one : spec.partitions) one.job_defaults = {3, Bytes(1000)};
    install(spec);
    const auto gpus = [](std::int64_t count) {
        return std::vector<GresRequest>{{.name = "gpu", .count = count}};
    };
    struct Row {
        const char* what;
        JobRequest request;
        std::optional<std::uint32_t> cpus;
        std::optional<Bytes> of_node, of_cpu;
    };
    const Row rows[] = {
        {"none", {}, {}, {}, {}},
        {"of each node", {.gres_per_node = gpus(2)}, 6, Bytes(2000), {}},
        {"of each task", {.tasks = 2, .gpus_per_task = gpus(1)}, 3, {}, Bytes(334)},
        {"of all, one task on each node", {.gpus = gpus(2)}, 6, Bytes(2000), {}},
        {"of all, more than a node has", {.gpus = gpus(12)}, 24, Bytes(8000), {}},
        {"of all, two tasks", {.tasks = 2, .gpus = gpus(2)}, 3, {}, Bytes(334)},
        {"two tasks", {.tasks_per_node = 2, .gres_per_node = gpus(2)}, 3, Bytes(2000), {}},
        {"CPUs were asked for", {.cpus_per_task = 2, .gres_per_node = gpus(2)}, 2, Bytes(2000), {}},
    };
    for (const Row& row : rows) {
        const JobRequest request = admitted({.request = row.request}).spec.request;
        EXPECT_EQ(request.cpus_per_task, row.cpus) << row.what;
        EXPECT_EQ(request.memory_per_node, row.of_node) << row.what;
        EXPECT_EQ(request.memory_per_cpu, row.of_cpu) << row.what;
    }
    const Job own = admitted(
        {.request = JobRequest{.memory_per_node = Bytes(1 << 20), .gres_per_node = gpus(1)}});
    EXPECT_FALSE(own.spec.request->memory_per_cpu) << "memory was asked for";
}

TEST_F(TermsOfPartition, TurnRootAwayWhereItsJobsAreDisabled) {
    ClusterSpec spec = four_nodes();
    spec.partitions[0].disable_root_jobs = true;
    install(spec);
    admitted({});
    owner_.uid = 0;
    EXPECT_EQ(why({}), Refusal::not_allowed);
}

TEST_F(TermsOfPartition, MayAskForAReservation) {
    ClusterSpec spec = four_nodes();
    spec.partitions[0].requires_reservation = true;
    install(spec);
    EXPECT_EQ(why({}), Refusal::not_allowed);
    EXPECT_NE(why({.request = JobRequest{.reservation = "here"}}), Refusal::not_allowed);
}

// As with Slurm, a job that names no host is not turned away.
TEST_F(TermsOfPartition, TakeJobsFromTheirAllocNodes) {
    ClusterSpec spec = four_nodes();
    spec.partitions[0].alloc_nodes = {"login1", "login2"};
    install(spec);
    const auto from = [&](const char* host) {
        return why({.command = JobCommand{.submit_host = host}});
    };
    EXPECT_EQ(from("login2"), std::nullopt);
    EXPECT_EQ(from("laptop"), Refusal::not_allowed);
    EXPECT_EQ(from(""), std::nullopt);
}

}  // namespace
}  // namespace berth
