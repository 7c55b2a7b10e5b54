// The cluster from which the oracle's answers come, and what it admits: four nodes of 32 cores,
// 256000 MiB and 8 A100.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <utility>
#include <variant>

#include "berth/engine/admission/admission.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {

inline ClusterSpec oracle_cluster() {
    ClusterSpec spec = testing::make_cluster(0);
    for (int i = 1; i <= 4; ++i) {
        testing::add_node(spec, "gpu" + std::to_string(i),
                          {.cores_per_socket = 16,
                           .memory = mib(256'000),
                           .features = {"a100", i <= 2 ? "r1" : "r2"}});
    }
    PartitionSpec& main = spec.partitions[0];
    main.max_time = std::chrono::hours(48);
    main.default_time = std::chrono::hours(1);
    main.default_memory_per_cpu = mib(2000);
    spec.partitions.push_back(
        {.name = "debug", .nodes = {NodeId(3)}, .max_time = std::chrono::minutes(30)});
    spec.qos.push_back({.name = "high", .priority = 100, .max_wall = std::chrono::minutes(20)});
    spec.accounts = {{.name = "physics", .parent = "root"}, {.name = "bio", .parent = "root"}};
    spec.associations = {{.account = "physics", .user = "games", .qos = {"normal", "high"}},
                         {.account = "bio", .user = "news", .is_default = true, .qos = {"normal"}},
                         {.account = "physics", .user = "news"}};
    spec.scheduling.enforce_accounts = true;
    return spec;
}

class Admission : public ::testing::Test {
protected:
    void install(ClusterSpec spec) {
        state_ = ClusterState();
        state_.apply(kNow, SpecInstalled{std::move(spec)});
    }
    Admission() { install(oracle_cluster()); }

    std::variant<Job, Refusing> ask(const JobSpec& spec) const {
        return admit(state_, kNow, owner_, spec);
    }
    Job admitted(const JobSpec& spec) const {
        auto job = ask(spec);
        if (const auto* no = std::get_if<Refusing>(&job)) {
            ADD_FAILURE() << no->message;
            return {};
        }
        return std::get<Job>(job);
    }
    Refusing refused(const JobSpec& spec) const {
        auto job = ask(spec);
        if (std::holds_alternative<Job>(job)) {
            ADD_FAILURE() << "it was admitted";
            return {};
        }
        EXPECT_FALSE(std::get<Refusing>(job).message.empty());
        return std::get<Refusing>(job);
    }
    Refusal why(const JobSpec& spec) const { return refused(spec).why; }
    JobId submit(const JobSpec& spec) {
        const Job job = admitted(spec);
        state_.apply(kNow, JobSubmitted{job});
        return job.id;
    }

    ClusterState state_;
    Principal owner_{.uid = 9, .gid = 9, .user = "news", .group = "news", .role = Role::user};
};

inline GresRequest gpus(std::int64_t count) { return {"gpu", "", count}; }

}  // namespace berth
