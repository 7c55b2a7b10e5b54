// SampleCluster: a small cluster for tests: four GPU nodes, two partitions, and a state that facts
// are applied to and published from.
#pragma once

#include <gtest/gtest.h>

#include "berth/engine/state/cluster_state.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

inline ClusterSpec sample_spec() {
    ClusterSpec spec;
    spec.name = "sample";
    const DimensionId a100 = *spec.dimensions.intern("gpu", "a100");
    const DimensionId fpga = *spec.dimensions.intern("fpga", "");
    for (int n = 1; n <= 4; ++n) {
        NodeSpec node{.name = "gpu" + std::to_string(n), .sockets = 2, .cores_per_socket = 16};
        node.hostname = node.address = node.name;
        node.memory = mib(256000);
        node.features = {"a100", "ib"};
        node.gres_text = "gpu:a100:8,fpga:2";
        for (std::uint32_t i = 0; i < 8; ++i)
            node.devices.push_back({.dimension = a100, .index = i});
        node.capacity.set_cpu(cores(32));
        node.capacity.set_memory(node.memory);
        node.capacity[a100] = 8;
        node.capacity[fpga] = 2;  // Count only.
        spec.nodes.push_back(node);
    }
    PartitionSpec main{.name = "main", .nodes = {NodeId(0), NodeId(1), NodeId(2), NodeId(3)}};
    main.is_default = true;
    main.default_memory_per_cpu = mib(2000);
    spec.partitions = {main, {.name = "debug", .nodes = {NodeId(3)}}};
    spec.qos.push_back({.name = "normal"});
    spec.operators = {"games"};
    return spec;
}

class SampleCluster {
public:
    explicit SampleCluster(ClusterSpec spec = sample_spec()) {
        apply(SpecInstalled{std::move(spec)});
        apply(ControllerStarted{Epoch(3)});
        for (std::uint32_t n = 0; n < 4; ++n)
            apply(NodeRegistered{.node = NodeId(n), .boot_id = "b", .agent_version = "0.1.0"});
    }

    void apply(const Fact& fact) { state_.apply(now, fact); }

    static Job job(std::uint32_t id, std::uint32_t uid = 1000) {
        Job job;
        job.id = JobId(id);
        job.owner = Owner{uid, uid, "user" + std::to_string(uid), "users"};
        job.spec.name = "job" + std::to_string(id);
        job.spec.account = "physics";
        job.spec.command.edit().work_dir = "/home/user";
        job.spec.request.edit().tasks = 2;
        job.spec.request.edit().cpus_per_task = 4;
        job.spec.request.edit().gres_per_node = {{.name = "gpu", .type = "a100", .count = 2}};
        job.time_limit = std::chrono::minutes(30);
        job.submitted_at = from_seconds(1000);
        return job;
    }
    void submit(Job job) { apply(JobSubmitted{std::move(job)}); }

    // Eight cores and two GPUs of one node.
    static Allocation allocation(std::uint32_t node, int first_gpu = 0) {
        NodeShare share{.node = NodeId(node), .cores = BitSet(32), .memory = mib(16000)};
        const auto first_core = static_cast<std::size_t>(first_gpu) * 4;
        for (std::size_t core = first_core; core < first_core + 8; ++core) share.cores.set(core);
        share.devices = low_bits(2) << first_gpu;
        share.amount.set_cpu(cores(8));
        share.amount.set_memory(share.memory);
        share.amount[DimensionId(2)] = 2;
        share.tasks = 2;
        share.cpus = 8;
        return {{share}};
    }
    void start(std::uint32_t id, std::uint32_t node, int first_gpu = 0) {
        apply(StartJob{
            .job = JobId(id), .attempt = Attempt(1), .allocation = allocation(node, first_gpu)});
    }

    // Publishes what has changed since the last time.
    std::shared_ptr<const Snapshot> publish(ReadModel& read_model) {
        const ClusterState::Touched touched = state_.take_touched();
        Changes changes{now,           ++sequence_,  touched.jobs,  touched.gone,
                        touched.nodes, touched.spec, touched.usage, touched.reservations};
        changes.all = touched.all;
        read_model.publish(state_, changes);
        return read_model.current();
    }

    ClusterState& state() { return state_; }
    Time now = from_seconds(2000);

private:
    ClusterState state_;
    std::uint64_t sequence_ = 0;
};

}  // namespace berth
