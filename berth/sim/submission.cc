#include "berth/sim/submission.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

namespace berth::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr auto kRound = std::to_array<Duration>(
    {minutes(10), minutes(30), hours(1), hours(2), hours(4), hours(8), hours(12), hours(24),
     hours(48), hours(96), hours(24 * 7), hours(24 * 14), hours(24 * 30), hours(24 * 60)});
constexpr Duration kDay = hours(24);

Duration rounded(Duration run_time) {
    const Duration wanted = run_time + run_time / 4;
    const auto found = std::ranges::lower_bound(kRound, wanted);
    if (found != kRound.end()) return *found;
    return (wanted + kDay - Duration(1)) / kDay * kDay;
}

std::int64_t gpus_on(const ClusterSpec& cluster, const NodeSpec& node) {
    return std::ranges::count_if(node.devices, [&](const Device& device) {
        return cluster.dimensions.at(device.dimension).name == "gpu";
    });
}

constexpr std::int64_t up(std::int64_t amount, std::int64_t step) {
    return (amount + step - 1) / step;
}

}  // namespace

Submission::Submission(const ClusterSpec& cluster, const SubmissionRules& rules)
    : cluster_(cluster), rules_(rules) {
    for (const NodeSpec& node : cluster.nodes) {
        most_gpus_ = std::max(most_gpus_, gpus_on(cluster, node));
        for (const Device& device : node.devices) {
            for (const ShareKind& kind : device.shares) {
                const std::string& name = cluster.dimensions.at(kind.dimension).name;
                const bool is_finer = kind.parts > parts_ && (name == "mps" || name == "shard");
                if (is_finer) std::tie(part_, parts_) = std::pair(name, kind.parts);
            }
        }
    }
}

Duration Submission::limit_of(const workload::TraceJob& job) const {
    if (rules_.trace_limits && job.limit) return *job.limit;
    switch (rules_.limit) {
        case LimitRule::rounded: return rounded(job.run_time);
        case LimitRule::exact: return job.run_time + seconds(1);
        case LimitRule::times: return job.run_time / 100 * rules_.limit_percent + seconds(1);
        case LimitRule::same: return rules_.limit_for_all;
        case LimitRule::none: break;
    }
    return Duration::max();
}

// Asks for a share of one GPU, rounded up, if GPUs are shared. Shares have no type: a job that
// needs a certain type asks for a whole GPU.
bool Submission::ask_for_a_part(const workload::TraceJob& job, JobRequest& request) const {
    constexpr std::int64_t kWhole = 1000;
    if (job.gpu_milli >= kWhole || parts_ < 2 || job.gpu_types.size() == 1) return false;
    const std::int64_t parts = up(job.gpu_milli * parts_, kWhole);
    if (parts >= parts_) return false;
    request.gres_per_node = {{part_, "", parts}};
    return true;
}

// Asks for whole nodes if the job needs more than one and divides evenly over them, otherwise for
// this many GPUs on as few nodes as possible.
void Submission::ask_for_gpus(const workload::TraceJob& job, JobRequest& request) const {
    if (ask_for_a_part(job, request)) return;
    const std::string type = job.gpu_types.size() == 1 ? job.gpu_types.front() : std::string();
    const std::int64_t most = std::max<std::int64_t>(most_gpus_, 1);
    const std::int64_t nodes = job.nodes.value_or(up(job.gpus, most));
    request.nodes_min = static_cast<std::uint32_t>(nodes);
    request.nodes_max = request.nodes_min;
    request.nodes_given = nodes > 1 || job.nodes.has_value();
    if (job.gpus % nodes == 0) {
        request.gpus_per_node = {{"gpu", type, job.gpus / nodes}};
    } else {
        request.gpus = {{"gpu", type, job.gpus}};
    }
}

JobSpec Submission::spec_of(const workload::TraceJob& job) const {
    JobSpec spec;
    spec.name = job.name.empty() ? "gpus" + std::to_string(job.gpus) : job.name;
    if (cluster_.find_partition(job.partition)) spec.partition = job.partition;
    if (cluster_.find_qos(job.qos)) spec.qos = job.qos;
    spec.account = job.account;
    spec.command.edit().script_name = "trace";
    spec.command.edit().work_dir = "/";
    const Duration limit = limit_of(job);
    if (job.request) {
        spec.request = *job.request;
        if (limit != Duration::max()) spec.request.edit().time_limit = limit;
        return spec;
    }
    JobRequest& request = spec.request.edit();
    if (job.gpus > 0) {
        ask_for_gpus(job, request);
    } else if (job.nodes) {
        request.nodes_min = *job.nodes;
        request.nodes_max = request.nodes_min;
        request.nodes_given = true;
    }
    const std::int64_t nodes = request.nodes_min;
    request.tasks_per_node = 1;
    const std::int64_t cpus = job.cpu_milli ? up(*job.cpu_milli, 1000 * nodes)
                                            : std::max<std::int64_t>(1, up(job.gpus, nodes));
    request.cpus_per_task = static_cast<std::uint32_t>(std::max<std::int64_t>(cpus, 1));
    if (job.memory) request.memory_per_node = Bytes(up(job.memory->count(), nodes));
    if (limit != Duration::max()) request.time_limit = limit;
    return spec;
}

}  // namespace berth::sim
