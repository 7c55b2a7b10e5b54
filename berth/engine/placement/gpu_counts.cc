#include "berth/engine/placement/gpu_counts.h"

#include <algorithm>
#include <string>
#include <vector>

namespace berth {
namespace {

// One of the options: its name, count and types.
struct Ask {
    std::string option;
    std::int64_t count = 0;
    std::vector<std::string> types;  // Sorted.
};

void add_ask(Ask& ask, const std::vector<GresRequest>& requests) {
    for (const GresRequest& one : requests) {
        if (one.name != "gpu" || one.count <= 0) continue;
        ask.count += one.count;
        ask.types.push_back(one.type);
    }
    std::ranges::sort(ask.types);
}

Error disagree(const Ask& all, const Ask& each, const std::string& why) {
    return {ErrorCode::invalid_argument, all.option + " asks for " + std::to_string(all.count) +
                                             " and " + each.option + " for " +
                                             std::to_string(each.count) + ": " + why};
}

// `all` divided by `each`.
Result<std::uint32_t> times(const Ask& all, const Ask& each) {
    if (all.types != each.types) {
        return disagree(all, each, "name the same GPU types in both");
    }
    if (all.count % each.count != 0) return disagree(all, each, "the first is no multiple");
    return static_cast<std::uint32_t>(all.count / each.count);
}

}  // namespace

Result<GpuCounts> gpu_counts(const JobRequest& request) {
    Ask total{.option = "--gpus"}, per_node{.option = "--gpus-per-node"},
        per_task{.option = "--gpus-per-task"};
    add_ask(total, request.gpus);
    add_ask(per_node, request.gpus_per_node);
    add_ask(per_node, request.gres_per_node);
    add_ask(per_task, request.gpus_per_task);
    GpuCounts counts;
    if (total.count > 0 && per_task.count > 0) {
        BERTH_TRY(const std::uint32_t tasks, times(total, per_task));
        if (request.tasks && *request.tasks != tasks) {
            return disagree(total, per_task,
                            "that is " + std::to_string(tasks) + " tasks, not " +
                                std::to_string(*request.tasks));
        }
        counts.tasks = tasks;
        counts.total_follows = true;
    }
    if (per_node.count > 0 && per_task.count > 0) {
        BERTH_TRY(const std::uint32_t tasks, times(per_node, per_task));
        if (request.tasks_per_node && *request.tasks_per_node != tasks) {
            return disagree(per_node, per_task,
                            "that is " + std::to_string(tasks) + " tasks a node, not " +
                                std::to_string(*request.tasks_per_node));
        }
        counts.tasks_per_node = tasks;
        counts.per_node_follows = true;
    }
    if (total.count > 0 && per_node.count > 0) {
        BERTH_TRY(const std::uint32_t nodes, times(total, per_node));
        const std::uint32_t most = request.nodes_max.value_or(request.nodes_min);
        if (request.nodes_given && (nodes < request.nodes_min || nodes > most)) {
            return disagree(total, per_node,
                            "that is " + std::to_string(nodes) + " nodes, which --nodes is not");
        }
        counts.nodes = nodes;
        counts.total_follows = true;
    }
    return counts;
}

}  // namespace berth
