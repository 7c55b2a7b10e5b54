// Builders: the clusters and jobs of tests, with a default for all that a test does not care about.
#pragma once

#include <string>
#include <vector>

#include "berth/engine/cycle/engine.h"

namespace berth::testing {

enum class Links : std::uint8_t {
    none,
    fours,
    all
};  // NVLinks within each four GPUs, or between all.

struct NodeOptions {
    std::uint32_t sockets = 2, cores_per_socket = 32, threads_per_core = 1;
    Bytes memory = gib(512);
    std::string gpu_type = "a100";
    std::uint32_t gpus = 8;  // The first half of them near socket 0, the rest near socket 1.
    Links links = Links::fours;
    std::vector<std::string> features;
    std::uint32_t weight = 1;
    std::vector<std::pair<std::string, std::int64_t>> counted;  // GRES without files.
    std::string switch_path;                                    // From the top: "core/leaf1".
    std::string block;
    Bytes gpu_memory;
    std::uint32_t capability = 0;
    // Parts of each GPU: "mps" 100. The GPUs are then simulated ones.
    std::vector<std::pair<std::string, std::int64_t>> parts;
};
NodeSpec make_node(Dimensions& dimensions, std::string name, const NodeOptions& options = {});

// node1 … nodeN in one partition "main", without limits; no default memory; FIFO.
ClusterSpec make_cluster(std::uint32_t nodes, const NodeOptions& options = {});
void add_node(ClusterSpec& spec, std::string name, const NodeOptions& options = {});

// An engine whose nodes are all there.
Engine make_engine(ClusterSpec spec, Time now = Time{});
void register_node(Engine& engine, Time now, NodeId node, const std::string& boot_id = "boot-1");

struct JobOptions {
    std::string name = "job";
    std::uint32_t nodes = 1;
    std::int64_t gpus = 0;  // On each node.
    std::uint32_t cpus = 1;
    Duration limit = std::chrono::hours(1);
};
JobSpec make_job(const JobOptions& options = {});

// Submits as user "ann", through admission. REQUIRES: it is admitted.
JobId submit(Engine& engine, Time now, const JobSpec& spec);

// Every node of the job's run reports its end.
void finish(Engine& engine, Time now, JobId job, ExitStatus exit = {});

}  // namespace berth::testing
