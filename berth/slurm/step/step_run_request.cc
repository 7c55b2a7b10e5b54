// What a step asks for: its nodes, its number of tasks, and what that comes to.
#include <algorithm>
#include <filesystem>

#include "berth/base/hostlist.h"
#include "berth/model/job_variables.h"
#include "berth/slurm/step/step_run.h"

namespace berth::slurm {
namespace {

std::int64_t total(const std::vector<GresRequest>& gpus) {
    std::int64_t count = 0;
    for (const GresRequest& gpu : gpus) count += gpu.count;
    return count;
}

}  // namespace

bool StepRun::find_nodes() {
    const JobRequest& request = draft_.spec.request;
    const bool is_settled = !draft_.of_step.relative && request.tasks && request.nodes_given &&
                            request.nodes_max.value_or(request.nodes_min) == request.nodes_min &&
                            request.exclude.empty();
    if (is_settled) return true;
    auto held = HeldNodes::of(call_, job_, look_);
    if (!held.ok()) {
        fail("Unable to create step for job " + job_ + ": " + held.error().message);
        return false;
    }
    held_ = *std::move(held);
    if (held_.names.empty()) return true;
    if (counts_tasks_by_cpus()) held_.count_usable(job_, look_);
    if (!own_job_ && !exclude_nodes()) return false;
    if (!own_job_ && draft_.of_step.relative && !begin_at(*draft_.of_step.relative)) return false;
    const JobRequest& asked = draft_.spec.request;
    if (own_job_ || !asked.nodes_given || asked.nodes_min <= held_.count()) return true;
    fail("Only allocated " + std::to_string(held_.count()) + " nodes asked for " +
         std::to_string(asked.nodes_min));
    return false;
}

bool StepRun::exclude_nodes() {
    const JobRequest& asked = draft_.spec.request;
    const std::vector<std::string>& excluded = asked.exclude;
    for (const std::string& name : excluded) {
        const bool is_held = std::ranges::find(held_.names, name) != held_.names.end();
        if (!is_held && !look_.node(name) &&
            fail("Unable to create step for job " + job_ +
                 ": Invalid node name specified: " + name) != 0)
            return false;
        if (std::ranges::find(*asked.nodelist, name) != asked.nodelist->end()) {
            fail("node " + name + " is both required (--nodelist) and excluded (--exclude)");
            return false;
        }
    }
    held_ = held_.without(excluded);
    if (!held_.names.empty()) return true;
    fail("Hostlist is empty!  Can't run job: --exclude leaves no node of job " + job_);
    return false;
}

// --relative: the step has the nodes from that one on.
bool StepRun::begin_at(std::uint32_t first) {
    const JobRequest& asked = draft_.spec.request;
    if (!asked.nodelist.empty() || !asked.exclude.empty()) {
        fail("--relative cannot be used with --nodelist or --exclude");
        return false;
    }
    const std::uint32_t nodes = asked.nodes_given ? asked.nodes_min : 1;
    if (std::uint64_t{first} + nodes > held_.count()) {
        fail("--relative=" + std::to_string(first) + ": node " + std::to_string(first) +
             " and the following come to less than " + std::to_string(nodes) + " of the job's " +
             std::to_string(held_.count()) + " nodes; the first is number 0");
        return false;
    }
    held_ = held_.without({held_.names.begin(), held_.names.begin() + first});
    return true;
}

// As many nodes as the job has and the options allow.
std::uint32_t StepRun::nodes_wanted() const {
    const JobRequest& asked = draft_.spec.request;
    if (held_.names.empty())  // Nobody could say; the controller will.
        return asked.nodes_given ? asked.nodes_max.value_or(asked.nodes_min) : 1;
    if (own_job_ || !asked.nodes_given) return held_.count();
    return std::min(asked.nodes_max.value_or(asked.nodes_min), held_.count());
}

bool StepRun::counts_tasks_by_cpus() const {
    const JobRequest& asked = draft_.spec.request;
    return !asked.tasks && !asked.tasks_per_node && draft_.cpus_per_task_given;
}

// As Slurm: with --cpus-per-task alone as many as fit on the nodes, else one on each.
std::uint32_t StepRun::default_tasks() const {
    const JobRequest& asked = draft_.spec.request;
    if (asked.tasks) return *asked.tasks;
    const std::uint32_t nodes = std::max(1U, nodes_wanted());
    if (asked.tasks_per_node) return nodes * *asked.tasks_per_node;
    if (!counts_tasks_by_cpus()) return nodes;
    return std::max(nodes, held_.tasks_of(asked.cpus_per_task.value_or(1), nodes));
}

// --exclude or --relative within a job: the step names the nodes that are left, others at each try,
// since some of them may be busy.
void StepRun::choose_among_the_rest(StepRequest& request) const {
    const bool is_narrowed = draft_.of_step.relative || !draft_.spec.request->exclude.empty();
    if (own_job_ || !is_narrowed) return;
    const std::uint32_t count = std::min(nodes_wanted(), request.tasks);
    for (std::uint32_t i = 0; i < held_.count() && request.nodelist.size() < count; ++i) {
        const std::string& name = held_.names[(i + tries_) % held_.count()];
        if (std::ranges::find(request.nodelist, name) == request.nodelist.end())
            request.nodelist.push_back(name);
    }
    request.nodes = count;
}

StepRequest StepRun::request() const {
    const JobRequest& asked = draft_.spec.request;
    StepRequest request;
    request.name = draft_.spec.name.empty()
                       ? std::filesystem::path(command_.front()).filename().string()
                       : *draft_.spec.name;
    request.tasks = default_tasks();
    if (asked.nodes_given) request.nodes = std::min(nodes_wanted(), request.tasks);
    request.tasks_per_node = asked.tasks_per_node;
    request.cpus_per_task = asked.cpus_per_task;
    request.memory_per_node = asked.memory_per_node;
    for (const GresRequest& gres : asked.gres_per_node) {
        if (gres.count > 0) request.gres.push_back(gres);
    }
    for (const GresRequest& gres : asked.gpus_per_node) request.gres.push_back(gres);
    request.gres_none = draft_.gres_given && request.gres.empty();
    if (!asked.gpus.empty()) request.gpus = total(asked.gpus);
    if (!asked.gpus_per_task.empty()) request.gpus_per_task = total(asked.gpus_per_task);
    request.exact = draft_.exact || (asked.exclusive && !own_job_);
    request.overlap = draft_.overlap;
    request.nodelist = asked.nodelist;
    request.gpu_bind = draft_.spec.command->gpu_bind;
    request.cpu_bind = draft_.of_step.binding.cpu_bind;
    if (asked.nearness->task_order != TaskOrder::as_fits) {
        request.task_order = asked.nearness->task_order;
        request.plane = asked.nearness->plane;
    }
    if (!distribution_text(asked.nearness->task_order, asked.nearness->layout).empty())
        request.layout = asked.nearness->layout;
    request.overcommit = asked.nearness->layout.overcommit;
    // As part of a job of its own it has that job's.
    if (!own_job_ && asked.time_limit && *asked.time_limit != Duration::max())
        request.time_limit = asked.time_limit;
    choose_among_the_rest(request);
    return request;
}

// Beside Slurm's words, which name no number.
void StepRun::tell_of_cpus(const StepRequest& request) {
    if (held_.names.empty()) return;
    held_.count_usable(job_, look_);
    const std::uint32_t cpus = request.cpus_per_task.value_or(1);
    std::uint32_t all = 0;
    for (const std::uint32_t count : held_.cpus) all += count;
    fail("the step asks for " + std::to_string(request.tasks) +
         (request.tasks == 1 ? " task of " : " tasks of ") + std::to_string(cpus) +
         (cpus == 1 ? " CPU" : " CPUs") + "; the job has " + std::to_string(all) +
         (all == 1 ? " CPU" : " CPUs") + " on " + compress_hostlist_in_order(held_.names) +
         ": ask for fewer here (-n, -c), or for more where the job is submitted");
}

}  // namespace berth::slurm
