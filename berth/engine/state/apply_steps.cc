// How facts change the steps of runs: their start, their time limit, and their end, node by node.
#include <algorithm>
#include <csignal>
#include <utility>

#include "berth/engine/state/cluster_state_change.h"
#include "berth/engine/state/job_steps.h"

namespace berth {
namespace {

// The state keeps only the latest ended steps of a run; accounting has all of them.
constexpr std::size_t kEndedStepsMax = 256;

// By code, then by signal, like wait statuses.
ExitStatus highest(ExitStatus a, ExitStatus b) {
    return std::pair(a.code, a.signal) < std::pair(b.code, b.signal) ? b : a;
}

StepState state_of_ended(const Step& step) {
    const ExitStatus exit = step.exit;
    if (exit == kOutOfMemoryExit) return StepState::out_of_memory;
    if (step.out_of_time) return StepState::timeout;
    if (exit.signal == SIGTERM || exit.signal == SIGKILL) return StepState::cancelled;
    return exit == ExitStatus{} ? StepState::completed : StepState::failed;
}

void finish_step(Job& job, Step& step, Time now, StepState state) {
    step.state = state;
    step.ended_at = now;
    job.derived_exit = highest(job.derived_exit, step.exit);
}

bool release_step(Step& step, NodeId node) {
    return std::erase_if(step.shares, [&](const StepShare& share) { return share.node == node; }) >
           0;
}

Step* find_running_step(Job& job, StepId id) {
    std::vector<Step>& steps = job.steps.edit();
    const auto step = std::ranges::find(steps, id, &Step::id);
    return step == steps.end() || step->state != StepState::running ? nullptr : &*step;
}

void forget_old_steps(Job& job) {
    const auto ended = [](const Step& step) { return step.state != StepState::running; };
    const auto many = std::count_if(job.steps.begin(), job.steps.end(), ended);
    if (static_cast<std::size_t>(many) <= kEndedStepsMax) return;
    std::vector<Step>& steps = job.steps.edit();
    steps.erase(std::find_if(steps.begin(), steps.end(), ended));
}

}  // namespace

void release_steps(Job& job, NodeId node, Time now, bool lost) {
    if (job.steps.empty()) return;
    for (Step& step : job.steps.edit()) {
        if (step.state != StepState::running || !release_step(step, node)) continue;
        if (!step.shares.empty()) continue;
        const StepState ended = step.out_of_time ? StepState::timeout : StepState::cancelled;
        finish_step(job, step, now, lost ? StepState::node_fail : ended);
    }
}

void ClusterState::take(Time, const StepCreated& fact) {
    const Job* job = find_job(fact.job);
    if (job == nullptr || job->state != JobState::running || job->attempt != fact.attempt) return;
    change_job(fact.job, [&](Job& record) {
        record.steps.edit().push_back(fact.step);
        record.next_step = std::max(record.next_step, fact.step.id.value() + 1);
        forget_old_steps(record);
    });
}

void ClusterState::take(Time now, const StepEnded& fact) {
    const Job* job = find_job(fact.job);
    if (job == nullptr || !job->allocation || job->attempt != fact.attempt) return;
    change_job(fact.job, [&](Job& record) {
        std::vector<Step>& steps = record.steps.edit();
        const auto step = std::find_if(steps.begin(), steps.end(),
                                       [&](const Step& one) { return one.id == fact.step; });
        if (step == steps.end() || !release_step(*step, fact.node)) return;
        const ExitStatus exit = fact.out_of_memory ? kOutOfMemoryExit : fact.exit;
        if (step->exit != kOutOfMemoryExit) {
            step->exit = fact.out_of_memory ? exit : highest(step->exit, exit);
        }
        if (step->shares.empty()) finish_step(record, *step, now, state_of_ended(*step));
    });
}

void ClusterState::take(Time, const StepUpdated& fact) {
    const Job* job = find_job(fact.job);
    if (job == nullptr || job->state != JobState::running || job->attempt != fact.attempt) return;
    change_job(fact.job, [&](Job& record) {
        Step* const step = find_running_step(record, fact.step);
        if (step != nullptr && !step->out_of_time) step->time_limit = fact.time_limit;
    });
}

void ClusterState::take(Time, const StepTimedOut& fact) {
    const Job* job = find_job(fact.job);
    if (job == nullptr || job->state != JobState::running || job->attempt != fact.attempt) return;
    change_job(fact.job, [&](Job& record) {
        if (Step* const step = find_running_step(record, fact.step)) step->out_of_time = true;
    });
}

}  // namespace berth
