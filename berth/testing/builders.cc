#include "berth/testing/builders.h"

#include "berth/base/assert.h"
#include "berth/base/text.h"
#include "berth/engine/admission/admission.h"

namespace berth::testing {
namespace {

BitSet cores_of_socket(const NodeSpec& node, std::uint32_t socket) {
    BitSet cores(node.cores());
    for (std::uint32_t i = 0; i < node.cores_per_socket; ++i) {
        cores.set(socket * node.cores_per_socket + i);
    }
    return cores;
}

std::vector<std::int32_t> link_row(std::uint32_t gpu, std::uint32_t gpus, Links links) {
    std::vector<std::int32_t> row;
    for (std::uint32_t other = 0; other < gpus; ++other) {
        const bool linked = links == Links::all || (links == Links::fours && other / 4 == gpu / 4);
        row.push_back(other == gpu ? -1 : (linked ? 1 : 0));
    }
    return row;
}

}  // namespace

NodeSpec make_node(Dimensions& dimensions, std::string name, const NodeOptions& options) {
    NodeSpec node;
    node.name = node.hostname = node.address = std::move(name);
    node.sockets = options.sockets;
    node.cores_per_socket = options.cores_per_socket;
    node.threads_per_core = options.threads_per_core;
    node.memory = options.memory;
    node.features = options.features;
    node.weight = options.weight;
    node.capacity.set_cpu(cores(node.cpus()));
    node.capacity.set_memory(node.memory);
    node.block = options.block;
    if (!options.switch_path.empty()) {
        for (const auto part : split(options.switch_path, '/')) node.switches.emplace_back(part);
    }
    for (std::uint32_t i = 0; i < options.gpus; ++i) {
        const DimensionId dimension = *dimensions.intern("gpu", options.gpu_type);
        const std::uint32_t socket = i * options.sockets / options.gpus;
        node.devices.push_back({.dimension = dimension,
                                .index = i,
                                .file = "/dev/nvidia" + std::to_string(i),
                                .cores = cores_of_socket(node, socket),
                                .links = link_row(i, options.gpus, options.links)});
        node.devices.back().memory = options.gpu_memory;
        node.devices.back().compute_capability = options.capability;
        node.capacity[dimension] += 1;
        for (const auto& [kind, parts] : options.parts) {
            const DimensionId share = *dimensions.intern(kind, "");
            node.devices.back().file.clear();
            node.devices.back().shares.push_back({share, parts});
            node.capacity[share] += parts;
        }
    }
    for (const auto& [gres, count] : options.counted) {
        node.capacity[*dimensions.intern(gres, "")] += count;
    }
    return node;
}

void add_node(ClusterSpec& spec, std::string name, const NodeOptions& options) {
    spec.partitions.front().nodes.edit().push_back(NodeId::from_index(spec.nodes.size()));
    spec.nodes.push_back(make_node(spec.dimensions, std::move(name), options));
}

ClusterSpec make_cluster(std::uint32_t nodes, const NodeOptions& options) {
    ClusterSpec spec;
    spec.partitions.push_back({.name = "main", .is_default = true});
    spec.qos.push_back({.name = "normal"});
    for (std::uint32_t i = 1; i <= nodes; ++i) {
        add_node(spec, "node" + std::to_string(i), options);
    }
    return spec;
}

void register_node(Engine& engine, Time now, NodeId node, const std::string& boot_id) {
    engine.apply(now, NodeRegistered{.node = node, .boot_id = boot_id, .agent_started_at = now});
}

Engine make_engine(ClusterSpec spec, Time now) {
    Engine engine;
    engine.apply(now, ControllerStarted{Epoch(1)});
    engine.apply(now, SpecInstalled{std::move(spec)});
    for (std::size_t n = 0; n < engine.state().spec().nodes.size(); ++n) {
        register_node(engine, now, NodeId::from_index(n));
    }
    return engine;
}

JobSpec make_job(const JobOptions& options) {
    JobSpec spec;
    spec.name = options.name;
    spec.request.edit().nodes_min = options.nodes;
    spec.request.edit().nodes_given = options.nodes > 1;
    spec.request.edit().cpus_per_task = options.cpus;
    if (options.gpus > 0) spec.request.edit().gpus_per_node = {{"gpu", "", options.gpus}};
    spec.request.edit().time_limit = options.limit;
    return spec;
}

JobId submit(Engine& engine, Time now, const JobSpec& spec) {
    const Principal ann{
        .uid = 1000, .gid = 1000, .user = "ann", .group = "ann", .role = Role::admin};
    auto admitted = admit(engine.state(), now, ann, spec);
    if (const auto* no = std::get_if<Refusing>(&admitted)) {
        assert_failed(no->message.c_str(), __FILE__, __LINE__);
    }
    const Job& job = *std::get_if<Job>(&admitted);
    engine.apply(now, JobSubmitted{job});
    return job.id;
}

void finish(Engine& engine, Time now, JobId id, ExitStatus exit) {
    const Job* job = engine.state().find_job(id);
    BERTH_ASSERT(job != nullptr && job->allocation);
    const Attempt attempt = job->attempt;
    const std::vector<NodeShare> shares = job->allocation->shares;
    for (const NodeShare& share : shares) {
        AttemptEnded ended{.job = id, .attempt = attempt, .node = share.node};
        if (share.node == job->nodes.front()) ended.batch_exit = exit;
        engine.apply(now, ended);
    }
}

}  // namespace berth::testing
