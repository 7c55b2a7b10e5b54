// DefCpuPerGPU and DefMemPerGPU of the partition become what the job would have asked for itself.
#include <algorithm>

#include "berth/engine/admission/admission_checks.h"

namespace berth {
namespace {

std::int64_t gpus_in(const std::vector<GresRequest>& requests) {
    std::int64_t count = 0;
    for (const GresRequest& one : requests) {
        if (one.name == "gpu" && one.count > 0) count += one.count;
    }
    return count;
}

std::int64_t round_up(std::int64_t amount, std::int64_t by) { return (amount + by - 1) / by; }

// The GPUs and the tasks of a part of the job: the same share of both.
struct GpusAndTasks {
    std::int64_t gpus = 0, tasks = 1;
    bool is_node = false;  // The part is what each node has.
};

// As many GPUs as a node of the partition has at most.
std::int64_t most_on_node(const ClusterSpec& spec, const PartitionSpec& partition) {
    const std::vector<DimensionId> types = spec.dimensions.of_name("gpu");
    std::int64_t most = 0;
    for (const NodeId id : partition.nodes) {
        std::int64_t here = 0;
        for (const DimensionId type : types) here += spec.node(id).capacity[type];
        most = std::max(most, here);
    }
    return most;
}

GpusAndTasks share_of_gpus(const ClusterSpec& spec, const Job& job) {
    const JobRequest& request = job.spec.request;
    const std::int64_t tasks = request.tasks.value_or(0);
    if (const std::int64_t of_task = gpus_in(request.gpus_per_task); of_task > 0)
        return {.gpus = of_task};
    const std::int64_t on_node = gpus_in(request.gres_per_node) + gpus_in(request.gpus_per_node);
    if (on_node > 0) {
        if (request.tasks_per_node) return {on_node, *request.tasks_per_node, true};
        return tasks > 0 ? GpusAndTasks{on_node * request.nodes_min, tasks}
                         : GpusAndTasks{.gpus = on_node, .is_node = true};
    }
    const std::int64_t all = gpus_in(request.gpus);
    if (tasks > 0) return {all, tasks};
    // A task on each node, of which there are as few as it takes, with as many GPUs each.
    const std::int64_t each = round_up(all, std::max<std::int64_t>(request.nodes_min, 1));
    return {std::min(each, most_on_node(spec, spec.partition(job.partition))),
            request.tasks_per_node.value_or(1), true};
}

}  // namespace

void add_gpu_defaults(const ClusterSpec& spec, Job& job) {
    const GpuDefaults& defaults = spec.partition(job.partition).job_defaults;
    if (defaults.none()) return;
    const GpusAndTasks share = share_of_gpus(spec, job);
    if (share.gpus <= 0 || share.tasks <= 0) return;
    if (defaults.cpus > 0 && !job.spec.request->cpus_per_task) {
        const std::int64_t cpus = round_up(share.gpus * defaults.cpus, share.tasks);
        job.spec.request.edit().cpus_per_task =
            static_cast<std::uint32_t>(std::min<std::int64_t>(cpus, UINT32_MAX));
    }
    const JobRequest& asked = job.spec.request;
    if (defaults.memory == Bytes(0) || asked.memory_per_node || asked.memory_per_cpu) return;
    const std::int64_t bytes = defaults.memory.count();
    if (share.gpus > INT64_MAX / 2 / bytes) return;  // More than any node has GPUs for.
    const std::int64_t cpus = share.tasks * asked.cpus_per_task.value_or(1);
    JobRequest& request = job.spec.request.edit();
    if (share.is_node) {
        request.memory_per_node = Bytes(bytes * share.gpus);
    } else {
        request.memory_per_cpu = Bytes(round_up(bytes * share.gpus, cpus));
    }
}

}  // namespace berth
