// srun inside a job: lays a step out, records it, and launches it on each of its nodes.
#include <algorithm>

#include "berth/control/commands/commands.h"
#include "berth/control/orders/orders.h"
#include "berth/control/requests/limits.h"
#include "berth/engine/steps/step_layout.h"
#include "berth/model/mpi_kind.h"
#include "berth/model/node_names.h"

namespace berth {
namespace {

std::optional<Refused> not_ready_for_steps(const Job& job) {
    if (job.state == JobState::completing || is_final(job.state)) {
        return refused(Refusal::job_finished,
                       "Job " + to_string(job.id) + " is " + std::string(words(job.state)) +
                           ": it takes no more steps",
                       job.id);
    }
    if (job.state != JobState::running) {
        return refused(Refusal::job_not_running,
                       "Job " + to_string(job.id) + " is " + std::string(words(job.state)) +
                           ": steps can run once it does",
                       job.id);
    }
    if (job.is_configuring()) {
        return refused(
            Refusal::job_not_running,
            "Job " + to_string(job.id) +
                " is being configured (PrologSlurmctld): steps can run once that is over",
            job.id);
    }
    if (job.awaits_turn()) {  // srun tries again.
        return refused(Refusal::step_resources_busy,
                       "Job " + to_string(job.id) +
                           " takes turns with others on its cores: a step can be created when its "
                           "turn comes",
                       job.id);
    }
    if (job.is_suspended()) {
        return refused(
            Refusal::job_suspended,
            "Job " + to_string(job.id) + " is suspended: steps can run once it is resumed", job.id);
    }
    return std::nullopt;
}

std::optional<Refused> over_step_count(const LaunchSpec& site, const Job& job) {
    if (job.next_step < site.max_step_count) return std::nullopt;
    return refused(Refusal::too_many_steps,
                   "Job " + to_string(job.id) + " has run " + std::to_string(job.next_step) +
                       " steps, and MaxStepCount is " + std::to_string(site.max_step_count) +
                       ": start more programs in one step, or another job",
                   job.id);
}

std::optional<Refused> over_task_count(const ClusterState& state, const Job& job,
                                       const Step& step) {
    const std::uint32_t most = state.spec().launch.max_tasks_per_node;
    const auto over = std::ranges::find_if(
        step.shares, [&](const StepShare& share) { return share.tasks.size() > most; });
    if (over == step.shares.end()) return std::nullopt;
    return refused(Refusal::too_many_tasks,
                   "The step would have " + std::to_string(over->tasks.size()) + " tasks on " +
                       state.spec().node(over->node).name + ", and MaxTasksPerNode is " +
                       std::to_string(most) + ": ask for fewer tasks, or for more nodes",
                   job.id);
}

}  // namespace

Answer create_step(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
                   CreateStep command) {
    auto found = find_single(builder.state(), command.job);
    if (auto* refusing = std::get_if<Refusing>(&found)) return refused(std::move(*refusing));
    const Job& job = *builder.state().find_job(std::get<JobTarget>(found).job);
    const ClusterSpec& spec = builder.state().spec();
    if (auto no = forbidden(spec, principal, Verb::create_step, job)) return *no;
    if (auto no = not_ready_for_steps(job)) return *no;
    if (auto no = over_step_count(spec.launch, job)) return *no;
    if (!command.launch.mpi.empty() && !is_mpi_kind(command.launch.mpi)) {
        return refused(Refusal::invalid_request,
                       "there is no MPI type \"" + command.launch.mpi +
                           "\"; `srun --mpi=list` names those there are",
                       job.id);
    }
    if (auto refusing = too_large(command)) return refused(*std::move(refusing), job.id);
    auto laid_out = lay_out_step(builder.state(), builder.now(), job, command.request);
    if (auto* refusing = std::get_if<Refusing>(&laid_out)) {
        return refused(std::move(*refusing), job.id);
    }
    const Step& step = std::get<Step>(laid_out);
    if (auto no = over_task_count(builder.state(), job, step)) return *no;
    const bool site_appends = builder.state().spec().launch.append_output;
    const bool appends = command.launch.append_output || (site_appends && !command.truncate_output);
    command.launch.append_output = appends;
    builder.record(StepCreated{job.id, job.attempt, step});
    nodes.start_step(
        job, step,
        step_launch(builder.state(), job, step, command.request, std::move(command.launch)));
    return StepPlaced{job.id, step, names_of(builder.state().spec(), step.nodes), appends};
}

// As in Slurm the owner may make it longer too: the job's own limit stays.
Answer update_step(TurnBuilder& builder, const Principal& principal, const UpdateStep& command) {
    auto found = find_single(builder.state(), command.job);
    if (auto* refusing = std::get_if<Refusing>(&found)) return refused(std::move(*refusing));
    const Job& job = *builder.state().find_job(std::get<JobTarget>(found).job);
    const ClusterSpec& spec = builder.state().spec();
    if (auto no = forbidden(spec, principal, Verb::update_job, job)) return *no;
    std::vector<StepUpdated> facts;
    for (const Step& step : job.steps) {
        const bool meant = !command.step || *command.step == step.id;
        if (!meant || step.state != StepState::running) continue;
        facts.push_back({job.id, job.attempt, step.id, command.time_limit});
    }
    if (facts.empty()) {
        const std::string what = command.step ? " has no running step " + to_string(*command.step)
                                              : " runs no step of srun";
        return refused(Refusal::unknown_step, "Job " + to_string(job.id) + what, job.id);
    }
    for (const StepUpdated& fact : facts) builder.record(fact);
    return Done{};
}

// The token of a step's srun gives access to the tasks' output and input.
Answer attach_step(const TurnBuilder& builder, const Nodes& nodes, const Principal& principal,
                   const AttachStep& command) {
    auto found = find_single(builder.state(), command.job);
    if (auto* refusing = std::get_if<Refusing>(&found)) return refused(std::move(*refusing));
    const Job& job = *builder.state().find_job(std::get<JobTarget>(found).job);
    const ClusterSpec& spec = builder.state().spec();
    if (auto no = forbidden(spec, principal, Verb::attach_step, job)) return *no;
    const std::string name = to_string(job.id) + "." + to_string(command.step);
    const std::vector<Step>& steps = *job.steps;
    const auto step = std::ranges::find(steps, command.step, &Step::id);
    if (step == steps.end()) {
        return refused(Refusal::unknown_step, "there is no step " + name, job.id);
    }
    if (step->state != StepState::running) {
        return refused(Refusal::job_finished, "step " + name + " is over", job.id);
    }
    const auto srun = nodes.srun_of(job, *step);
    if (!srun) {
        return refused(Refusal::unknown_step,
                       "step " + name + " began before the controller was last started, which " +
                           "does not know any more where its srun is",
                       job.id);
    }
    return StepAttached{
        {job.id, *step, names_of(builder.state().spec(), step->nodes)}, srun->address, srun->token};
}

}  // namespace berth
