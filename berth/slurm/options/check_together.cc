// What the options of one job come to together: those that exclude each other, and what follows
// from several of them.
#include <algorithm>

#include "berth/model/invalid_argument.h"
#include "berth/slurm/options/job_options.h"

namespace berth::slurm {
namespace {

constexpr std::int64_t kCountMost = 1'000'000'000;  // So that products of two do not overflow.

std::int64_t gpus_in(const std::vector<GresRequest>& requests) {
    std::int64_t count = 0;
    for (const GresRequest& one : requests) {
        if (one.name == "gpu")
            count = std::min(count + std::min(one.count, kCountMost), kCountMost);
    }
    return count;
}

// --ntasks-per-gpu: the tasks follow from the GPUs, or the GPUs from the tasks.
Status count_tasks_by_gpus(JobDraft& draft) {
    if (!draft.tasks_per_gpu) return Done{};
    JobRequest& request = draft.spec.request.edit();
    const char* const other = !request.gpus_per_task.empty() ? "--gpus-per-task"
                              : request.tasks_per_node       ? "--ntasks-per-node"
                                                             : nullptr;
    if (other != nullptr) {
        return invalid_argument(
            std::string(other) +
            " is mutually exclusive with --ntasks-per-gpu and SLURM_NTASKS_PER_GPU");
    }
    if (draft.spec.command->gpu_bind.empty()) {
        draft.spec.command.edit().gpu_bind = "single:" + std::to_string(*draft.tasks_per_gpu);
    }
    const std::int64_t each = std::min<std::int64_t>(*draft.tasks_per_gpu, kCountMost);
    const std::int64_t all = gpus_in(request.gpus);
    const std::int64_t on_node = gpus_in(request.gpus_per_node) + gpus_in(request.gres_per_node);
    const std::int64_t tasks = (all > 0 ? all : on_node) * each;
    if (tasks > UINT32_MAX) return invalid_argument("--ntasks-per-gpu comes to too many tasks");
    const auto given = request.tasks;
    if (all > 0) {
        request.tasks = static_cast<std::uint32_t>(tasks);
    } else if (on_node > 0) {
        request.tasks_per_node = static_cast<std::uint32_t>(tasks);
        if (given) return Done{};  // On so many nodes.
    } else if (given && *given % each == 0) {
        request.gpus = {GresRequest{.name = "gpu", .type = {}, .count = *given / each}};
    } else {
        return invalid_argument(given ? "-n/--ntasks has to be a multiple of --ntasks-per-gpu"
                                      : "--ntasks-per-gpu needs --ntasks or a number of GPUs");
    }
    if (given && request.tasks != given) {
        return invalid_argument("--ntasks-per-gpu and the GPUs come to " + std::to_string(tasks) +
                                " tasks, and --ntasks asks for " + std::to_string(*given));
    }
    return Done{};
}

}  // namespace

Status check_together(JobDraft& draft) {
    const JobRequest& request = draft.spec.request;
    const bool gres_gpu = std::ranges::count(request.gres_per_node, "gpu", &GresRequest::name) > 0;
    if (gres_gpu && !request.gpus_per_node.empty()) {
        return invalid_argument(
            "Invalid GRES specification (with and without type identification)");
    }
    if (request.memory_per_cpu && request.memory_per_node)
        return invalid_argument("--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.");
    return count_tasks_by_gpus(draft);
}

}  // namespace berth::slurm
