#include "berth/slurm/step/step_variables.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "berth/model/job_variables.h"
#include "berth/model/slurm_variables.h"
#include "berth/slurm/step/mem_bind_variables.h"

namespace berth::slurm {
namespace {

// Slurm gives each node a task in turn where none gets two.
std::string order_of(const TopologyConstraint& near, bool one_each) {
    const bool says_nothing = near.task_order == TaskOrder::as_fits;
    const TaskOrder order = !says_nothing ? near.task_order
                            : one_each    ? TaskOrder::cyclic
                                          : TaskOrder::block;
    return distribution_text(order, near.layout);
}

std::string octal_text(std::uint32_t umask) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%04o", umask);
    return text.data();
}

}  // namespace

void add_step_variables(const JobDraft& draft, api::StepCall& call, std::uint32_t job_nodes) {
    const auto add = [&](const char* name, const std::string& value) {
        call.environment.push_back(name + ("=" + value));
    };
    const TopologyConstraint& near = draft.spec.request->nearness;
    const std::uint32_t nodes = call.request.nodes.value_or(job_nodes);
    const auto is_order = [](const std::string& setting) {
        return setting.starts_with("SLURM_DISTRIBUTION=");
    };
    const bool is_the_jobs = distribution_text(near.task_order, near.layout).empty() &&
                             std::ranges::any_of(call.environment, is_order);
    if (!is_the_jobs) add("SLURM_DISTRIBUTION", order_of(near, call.request.tasks <= nodes));
    if (call.request.tasks_per_node)
        add("SLURM_NTASKS_PER_NODE", std::to_string(*call.request.tasks_per_node));
    if (draft.cpus_per_task_given && call.request.cpus_per_task)
        add("SLURM_CPUS_PER_TASK", std::to_string(*call.request.cpus_per_task));
    if (near.layout.overcommit) add("SLURM_OVERCOMMIT", "1");
    if (near.task_order == TaskOrder::plane)
        add("SLURM_DIST_PLANESIZE", std::to_string(near.plane));
    if (draft.label) add("SLURM_LABELIO", "1");
    if (!draft.spec.name.empty()) add("SLURM_JOB_NAME", *draft.spec.name);
    if (!draft.of_step.cpu_frequency.empty()) add(kSlurmCpuFreqReq, draft.of_step.cpu_frequency);
    if (!draft.of_step.gpu_frequency.empty()) add(kSlurmGpuFreq, draft.of_step.gpu_frequency);
    if (!draft.of_submission.as_given.network.empty())
        add(kSlurmNetwork, draft.of_submission.as_given.network);
    const MemBindVariables mem_bind = mem_bind_of_tasks(draft.of_step.binding.mem_bind);
    if (!mem_bind.empty())  // Those of the task that started this srun.
        std::erase_if(call.environment, [](const auto& s) { return s.starts_with(kSlurmMemBind); });
    for (const auto& [name, value] : mem_bind) add(name.c_str(), value);
    if (call.inherited.umask) add("SLURM_UMASK", octal_text(*call.inherited.umask));
}

}  // namespace berth::slurm
