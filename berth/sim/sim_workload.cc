#include "berth/sim/sim_workload.h"

#include <algorithm>

namespace berth::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

Duration length(Rng& rng) {  // Many short jobs, some long ones.
    const std::int64_t most = rng.chance(50) ? 60 : rng.chance(70) ? 900 : 3600;
    return Duration(rng.between(500, most * 1000));
}

NodeSpec random_node(Rng& rng, std::uint32_t number, DimensionId gpu, int gpus) {
    NodeSpec node;
    node.name = node.hostname = "gpu" + std::to_string(number);
    node.sockets = 2;
    node.cores_per_socket = rng.chance(50) ? 8 : 16;
    node.memory = gib(rng.chance(50) ? 64 : 256);
    for (int i = 0; i < gpus; ++i) {
        Device device;
        device.dimension = gpu;
        device.index = static_cast<std::uint32_t>(i);
        node.devices.push_back(std::move(device));
    }
    node.capacity.set_cpu(cores(node.cpus()));
    node.capacity.set_memory(node.memory);
    node.capacity[gpu] = gpus;
    node.gres_text = gpus > 0 ? "gpu:a100:" + std::to_string(gpus) : "";
    return node;
}

JobRequest random_request(Rng& rng, std::int64_t nodes) {
    JobRequest request;
    if (rng.chance(25)) {
        request.nodes_min =
            static_cast<std::uint32_t>(rng.between(2, std::min<std::int64_t>(nodes / 2, 8)));
        request.nodes_max = request.nodes_min;
        request.nodes_given = true;
        request.tasks_per_node = 1;
    }
    if (rng.chance(80)) request.gpus_per_node = {{"gpu", "", rng.between(1, 4)}};
    request.cpus_per_task = static_cast<std::uint32_t>(rng.between(1, 6));
    request.memory_per_node = gib(rng.between(1, 16));
    if (rng.chance(4)) request.exclusive = true;
    request.time_limit = rng.chance(15) ? Duration(seconds(rng.between(60, 400))) : minutes(120);
    return request;
}

// Makes a user's script misbehave.
void misbehave(Rng& rng, ScriptPlan& script) {
    switch (rng.between(0, 6)) {
        case 0: script.ignores_term = true; break;
        case 1: script.out_of_memory = true; break;
        case 2: script.runs_for = Duration(rng.between(0, 20)); break;
        case 3: script.fails_first_launch = true; break;
        case 4: script.survives_kill = seconds(rng.between(30, 480)); [[fallthrough]];
        default:
            script.leftovers = 2;
            script.leftovers_for = minutes(rng.between(1, 60));
            script.ignores_term = rng.chance(70);
    }
}

ScriptPlan random_script(Rng& rng, const JobRequest& request, std::int64_t bad_percent) {
    ScriptPlan script;
    script.runs_for = length(rng);
    script.exit_code =
        rng.chance(15) ? static_cast<std::int16_t>(rng.between(1, 99)) : std::int16_t{0};
    if (rng.chance(bad_percent)) misbehave(rng, script);
    const std::int64_t steps = rng.chance(30) ? rng.between(1, 3) : 0;
    for (std::int64_t i = 0; i < steps; ++i) {
        StepPlan step;
        step.after =
            Duration(rng.between(100, std::max<std::int64_t>(script.runs_for.count(), 200)));
        step.runs_for = length(rng);
        step.exit_code = rng.chance(20) ? 1 : 0;
        step.nodes = request.nodes_min;
        script.steps.push_back(step);
    }
    return script;
}

void meddle(Rng& rng, PlannedJob& job) {
    const auto some_time = [&] { return Duration(rng.between(100, 1'200'000)); };
    if (rng.chance(12)) job.cancel_in = some_time();
    if (rng.chance(6)) job.hold_in = some_time() / 20;
    if (job.hold_in || rng.chance(5)) {
        job.spec.hold = !job.hold_in;
        job.release_in = some_time();
    }
    if (!job.cancel_in && rng.chance(6)) job.requeue_in = some_time();
    if (rng.chance(6)) job.begin_in = some_time();
    if (!rng.chance(12)) return;
    job.suspend_in = some_time();
    job.resume_in = some_time();
}

}  // namespace

ClusterSpec random_cluster(Rng& rng) {
    ClusterSpec cluster;
    cluster.name = "sim";
    const DimensionId gpu = *cluster.dimensions.intern("gpu", "a100");
    const auto nodes = static_cast<std::uint32_t>(rng.between(16, 24));
    const int gpus = rng.chance(50) ? 4 : 8;
    PartitionSpec partition;
    partition.name = "main";
    partition.is_default = true;
    for (std::uint32_t i = 0; i < nodes; ++i) {
        cluster.nodes.push_back(random_node(rng, i + 1, gpu, gpus));
        partition.nodes.edit().push_back(NodeId{i});
    }
    cluster.partitions.push_back(std::move(partition));
    cluster.qos.push_back({.name = "normal"});
    SchedulingSpec& scheduling = cluster.scheduling;
    scheduling.kill_wait = seconds(rng.between(5, 60));
    scheduling.heartbeat = seconds(rng.between(20, 90));
    scheduling.agent_timeout = seconds(rng.between(120, 600));
    scheduling.min_job_age = seconds(rng.between(120, 900));
    scheduling.plan_depth = static_cast<std::uint32_t>(rng.between(0, 30));
    scheduling.backfill = rng.chance(85);
    if (rng.chance(30)) cluster.hooks.prolog = {"/prolog"};
    if (rng.chance(30)) cluster.hooks.epilog = {"/epilog"};
    if (rng.chance(30)) cluster.hooks.timeout = seconds(rng.between(10, 120));
    return cluster;
}

std::vector<PlannedJob> random_jobs(Rng& rng, const ClusterSpec& cluster, std::size_t count,
                                    Duration within, std::int64_t bad_percent) {
    std::vector<PlannedJob> jobs(count);
    Duration at{};
    for (std::size_t i = 0; i < count; ++i) {
        PlannedJob& job = jobs[i];
        // In bursts, so that a queue builds up.
        if (!rng.chance(60))
            at += Duration(rng.between(0, 4 * within.count() / static_cast<std::int64_t>(count)));
        job.submit_after = std::min(at, within);
        job.spec.name = "job" + std::to_string(i);
        job.spec.request = random_request(rng, static_cast<std::int64_t>(cluster.nodes.size()));
        job.spec.requeue = rng.chance(80);
        job.spec.command.edit().script_name = "train.sh";
        job.spec.command.edit().work_dir = "/home/ada";
        job.script = random_script(rng, job.spec.request, bad_percent);
        if (rng.chance(8) && job.spec.request->nodes_min == 1) {
            ArraySpec array;
            const auto tasks = static_cast<std::uint32_t>(rng.between(2, 8));
            for (std::uint32_t task = 0; task < tasks; ++task) array.tasks.push_back(task);
            array.max_running = rng.chance(40) ? 2 : 0;
            job.spec.array = std::move(array);
        } else {
            meddle(rng, job);
        }
        if (i > 0 && rng.chance(12)) {
            constexpr DependencyKind kKinds[] = {DependencyKind::after, DependencyKind::afterany,
                                                 DependencyKind::afterok,
                                                 DependencyKind::afternotok};
            job.dependency = kKinds[static_cast<std::size_t>(rng.between(0, 3))];
            job.after_number = i - static_cast<std::size_t>(rng.between(
                                       1, std::min<std::int64_t>(static_cast<std::int64_t>(i), 6)));
        }
    }
    return jobs;
}

}  // namespace berth::sim
