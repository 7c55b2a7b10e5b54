#include "berth/control/notices/controller_hooks.h"

#include <algorithm>

#include "berth/control/notices/site_variables.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

constexpr std::string_view kLaunchFailed = "launch failed requeued held";

std::string_view key_of(ControllerHook hook) {
    return hook == ControllerHook::prolog ? "PrologSlurmctld" : "EpilogSlurmctld";
}

}  // namespace

ControllerHooks::ControllerHooks(const ClusterState& state) {
    for (const auto& [id, job] : state.jobs()) {
        if (job.hook != ControllerHook::none) due_.push_back(id);
    }
}

// If no program is configured any more, the call is made too and succeeds at once.
void ControllerHooks::call(TurnBuilder& builder, const Job& job) {
    const HookSpec& hooks = builder.state().spec().hooks;
    const bool before = job.hook == ControllerHook::prolog;
    HookCall call{.job = job.id,
                  .attempt = job.attempt,
                  .hook = job.hook,
                  .programs = before ? hooks.controller_prolog : hooks.controller_epilog,
                  .environment = site_variables(builder.state(), job, !before),
                  .timeout = hooks.timeout};
    call.environment.push_back(before ? "SLURM_SCRIPT_CONTEXT=prolog_slurmctld"
                                      : "SLURM_SCRIPT_CONTEXT=epilog_slurmctld");
    running_[job.id] = {job.attempt, job.hook};
    builder.hook(std::move(call));
}

void ControllerHooks::look_at(TurnBuilder& builder, JobId id) {
    const Job* const job = builder.state().find_job(id);
    if (job == nullptr || running_.contains(id)) return;
    // A run that ends before its prolog has begun needs no prolog.
    if (job->is_configuring() || job->hook == ControllerHook::epilog) call(builder, *job);
}

void ControllerHooks::note(TurnBuilder& builder, const ClusterState::Touched& touched) {
    for (const JobId id : std::exchange(due_, {})) look_at(builder, id);
    for (const JobId id : touched.jobs) look_at(builder, id);
}

void ControllerHooks::answered(TurnBuilder& builder, const HookAnswered& answer) {
    const auto known = running_.find(answer.job);
    if (known == running_.end() || known->second != std::pair(answer.attempt, answer.hook)) return;
    running_.erase(known);
    due_.push_back(answer.job);  // The job's epilog may have waited for this.
    const Job* const job = builder.state().find_job(answer.job);
    if (job == nullptr || job->attempt != answer.attempt || job->hook != answer.hook) return;
    const bool launches = job->is_configuring();
    builder.record(ControllerHookEnded{answer.job, answer.attempt, answer.hook, answer.failure});
    if (answer.failure.empty()) return;
    builder.log(LogLevel::error, std::string(key_of(answer.hook)) + " of job " +
                                     to_string(answer.job) + " " + answer.failure);
    if (!launches) return;
    EndJob end{.job = answer.job, .outcome = JobState::failed, .reason = "JobLaunchFailure"};
    if (may_requeue(builder.state(), *builder.state().find_job(answer.job))) {
        end.outcome = JobState::pending;
        end.hold = Hold::admin;
        end.reason = kLaunchFailed;
    }
    builder.record(std::move(end));
}

}  // namespace berth
