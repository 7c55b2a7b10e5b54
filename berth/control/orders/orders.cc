#include "berth/control/orders/orders.h"

#include <algorithm>

#include "berth/base/assert.h"
#include "berth/base/size_text.h"
#include "berth/control/orders/component_variables.h"
#include "berth/model/cpu_bind.h"
#include "berth/model/mpi_kind.h"
#include "berth/model/node_names.h"
#include "berth/model/process_mapping.h"
#include "berth/model/slurm_variables.h"

namespace berth {
namespace {

const StepShare& share_on(const Step& step, NodeId node) {
    const auto found = std::ranges::find(step.shares, node, &StepShare::node);
    BERTH_ASSERT(found != step.shares.end());
    return *found;
}

std::string mapping_of(const Step& step) {
    std::vector<std::uint32_t> node_of_rank(step.tasks);
    for (std::size_t node = 0; node < step.nodes.size(); ++node) {
        for (const TaskPlace& task : share_on(step, step.nodes[node]).tasks) {
            node_of_rank.at(task.rank) = static_cast<std::uint32_t>(node);
        }
    }
    return process_mapping(node_of_rank);
}

// Fills in what the user leaves to the site.
void settle(Inherited& inherited, const LaunchSpec& site) {
    std::erase_if(inherited.limits, [&](const ProcessLimit& limit) {
        return !limit.asked && (site.propagated_limits & rlimit_bit(limit.kind)) == 0;
    });
}

void settle(Shared<JobCommand>& command, const LaunchSpec& site) {
    const bool appends = site.append_output && !command->truncate_output;
    if (appends && !command->append_output) command.edit().append_output = true;
    if (site.propagated_limits != kAllRlimits && !command->inherited.limits.empty()) {
        settle(command.edit().inherited, site);
    }
}

// SLURM_MEM_PER_CPU of a job that asks for no memory; one that asks has its own.
void add_default_memory(const PartitionSpec& partition, const JobRequest& asked,
                        std::vector<std::string>& variables) {
    if (asked.memory_per_cpu || asked.memory_per_node) return;
    const auto add = [&](const char* name, const std::optional<Bytes>& memory) {
        if (memory) variables.push_back(name + ("=" + std::to_string(in_mib(*memory))));
    };
    add(kSlurmMemPerCpu, partition.default_memory_per_cpu);
    if (!partition.default_memory_per_cpu) add(kSlurmMemPerNode, partition.default_memory_per_node);
}

}  // namespace

LaunchAttempt launch_attempt(const ClusterState& state, const Job& job, NodeId node) {
    BERTH_ASSERT(job.state == JobState::running && job.allocation && job.started_at);
    const ClusterSpec& spec = state.spec();
    const std::vector<NodeShare>& shares = job.allocation->shares;
    const auto share = std::ranges::find(shares, node, &NodeShare::node);
    BERTH_ASSERT(share != shares.end());
    LaunchAttempt launch;
    launch.job = job.id;
    launch.attempt = job.attempt;
    launch.node = node;
    launch.batch_host = job.nodes.front() == node && !job.spec.command->interactive;
    launch.share = *share;
    launch.owner = job.owner;
    launch.spec = job.spec;
    settle(launch.spec.command, spec.launch);
    launch.partition = spec.partition(job.partition).name;
    launch.qos = spec.qos[job.qos.index()].name;
    launch.shares = shares;
    launch.node_names = names_of(spec, job.nodes);
    launch.started_at = *job.started_at;
    launch.ends_at = limit_ends(job);
    launch.restarts = job.restarts;
    launch.array_job = job.array_job;
    launch.array_task = job.array_task;
    launch.array_bounds = job.array_bounds;
    launch.kill_wait = spec.scheduling.kill_wait;
    launch.unkillable_wait = spec.care.unkillable_wait;
    launch.confinement = spec.confinement;
    launch.cluster = spec.name;
    launch.hooks = spec.hooks;
    launch.more_variables = component_variables(state, job);
    add_default_memory(spec.partition(job.partition), job.spec.request, launch.more_variables);
    return launch;
}

LaunchStep step_launch(const ClusterState& state, const Job& job, const Step& step,
                       const StepRequest& request, LaunchStep asked) {
    LaunchStep launch = std::move(asked);
    launch.job = job.id;
    launch.attempt = job.attempt;
    launch.step = step.id;
    launch.tasks = step.tasks;
    launch.name = step.name;
    if (!request.gpu_bind.empty()) launch.gpu_bind = request.gpu_bind;
    if (launch.gpu_bind.empty()) launch.gpu_bind = job.spec.command->gpu_bind;
    const Result<CpuBind> bind = CpuBind::parse(request.cpu_bind);
    const bool by_number = bind.ok() && bind->is_by_number();
    launch.is_unbound = by_number || (bind.ok() && bind->kind == CpuBind::Kind::none);
    if (by_number) launch.cpu_bind = request.cpu_bind;
    launch.cpus_per_task =
        request.cpus_per_task.value_or(job.spec.request->cpus_per_task.value_or(1));
    if (launch.work_dir.empty()) launch.work_dir = job.spec.command->work_dir;
    launch.node_names = names_of(state.spec(), step.nodes);
    launch.tasks_per_node.clear();
    for (const NodeId node : step.nodes) {
        launch.tasks_per_node.push_back(
            static_cast<std::uint32_t>(share_on(step, node).tasks.size()));
    }
    settle(launch.inherited, state.spec().launch);
    if (launch.mpi.empty()) launch.mpi = state.spec().mpi_default;
    if (launch.mpi == kNoMpi) launch.mpi.clear();
    if (!launch.mpi.empty()) launch.process_mapping = mapping_of(step);
    return launch;
}

LaunchStep launch_step(const LaunchStep& common, const Step& step, NodeId node) {
    LaunchStep launch = common;
    launch.share = share_on(step, node);
    const auto place = std::ranges::find(step.nodes, node);
    launch.node_index = static_cast<std::uint32_t>(place - step.nodes.begin());
    return launch;
}

}  // namespace berth
