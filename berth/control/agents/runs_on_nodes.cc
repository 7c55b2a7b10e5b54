#include "berth/control/agents/runs_on_nodes.h"

#include <utility>

namespace berth {

RunProgress& NodeRuns::run(AttemptId attempt) {
    RunProgress& run = runs[attempt.job];
    if (run.attempt != attempt.attempt) {
        run = RunProgress{};
        run.attempt = attempt.attempt;
    }
    return run;
}

void RunsOnNodes::on_registered(NodeId node, bool same_boot) {
    NodeRuns& here = nodes_[node];
    here.orphans.clear();
    if (!same_boot) here.runs.clear();
    for (auto& [job, run] : here.runs) {
        run.delivery = {};
        run.warned = false;
        for (auto& [id, step] : run.steps) step.delivery = {};
    }
}

void RunsOnNodes::end_at_once(const Job& job) {
    for (const NodeShare& share : job.allocation->shares) {
        RunProgress& run = nodes_[share.node].run({job.id, job.attempt});
        run.at_once = true;
        run.delivery = {};
        queue_.mark(share.node);
    }
}

void RunsOnNodes::start_step(const Job& job, const Step& step, LaunchStep common) {
    const auto launch = std::make_shared<const LaunchStep>(std::move(common));
    for (const StepShare& share : step.shares) {
        RunProgress& run = nodes_[share.node].run({job.id, job.attempt});
        StepProgress& progress = run.steps[step.id];
        progress.launch = launch;
        progress.srun = {launch->io_address, launch->io_token};
        queue_.mark(share.node);
    }
}

std::optional<SrunPlace> RunsOnNodes::srun_of(const Job& job, const Step& step) const {
    for (const StepShare& share : step.shares) {
        const auto& runs = nodes_[share.node].runs;
        const auto run = runs.find(job.id);
        if (run == runs.end() || run->second.attempt != job.attempt) continue;
        const auto found = run->second.steps.find(step.id);
        if (found == run->second.steps.end() || found->second.srun.token.empty()) continue;
        return found->second.srun;
    }
    return std::nullopt;
}

void RunsOnNodes::end_step(const Job& job, const Step& step, EndReason reason) {
    for (const StepShare& share : step.shares) {
        StepProgress& progress = nodes_[share.node].run({job.id, job.attempt}).steps[step.id];
        if (!std::exchange(progress.ending, true)) progress.reason = reason;
        progress.delivery = {};
        queue_.mark(share.node);
    }
}

}  // namespace berth
