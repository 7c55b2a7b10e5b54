#include "berth/control/agents/inventory.h"

#include <algorithm>

#include "berth/control/orders/on_node.h"

namespace berth {
namespace {

constexpr ExitStatus kLostStep{.code = 0, .signal = 9};

// A step that is absent and whose order this controller does not have has not started and never
// will.
void settle_steps_of(TurnBuilder& builder, RunProgress& run, NodeId node, AttemptId attempt,
                     const std::vector<StepId>& live) {
    std::vector<StepId> lost;
    for (const Step& step : builder.state().find_job(attempt.job)->steps) {
        if (!runs_on(step, node)) continue;
        StepProgress& progress = run.steps[step.id];
        if (std::ranges::find(live, step.id) != live.end()) {
            progress.started = true;
            progress.launch.reset();
        } else if (progress.started || !progress.launch) {
            lost.push_back(step.id);
        }
    }
    for (const StepId step : lost) {
        builder.record(StepEnded{attempt.job, attempt.attempt, step, node, kLostStep, false});
    }
}

// Runs before the attempts are settled, so that a step's own end counts, not that of its attempt.
void settle_steps(TurnBuilder& builder, NodeRuns& here, RunReports& reports, NodeId node,
                  const Registration& registration, bool same_boot) {
    for (const StepReport& report : registration.ended_steps)
        reports.on_step_ended(builder, node, report);
    if (!same_boot) return;
    for (const JobId id : builder.state().index().on_node(node)) {
        const AttemptId attempt{id, builder.state().find_job(id)->attempt};
        const auto found = std::ranges::find_if(registration.attempts, [&](const auto& report) {
            return AttemptId{report.job, report.attempt} == attempt;
        });
        const bool absent = found == registration.attempts.end();
        if (!absent && !found->live) continue;
        settle_steps_of(builder, here.run(attempt), node, attempt,
                        absent ? std::vector<StepId>{} : found->live_steps);
    }
}

void settle_attempts(TurnBuilder& builder, NodeRuns& here, RunReports& reports, NodeId node,
                     const Registration& registration, bool same_boot) {
    std::vector<Believed> believed;
    for (const JobId id : builder.state().index().on_node(node)) {
        const AttemptId attempt{id, builder.state().find_job(id)->attempt};
        believed.push_back({attempt, here.run(attempt).started});
    }
    const Reconciled result = reconcile(believed, registration.attempts, same_boot);
    for (const AttemptId& lost : result.lost) {
        builder.record(
            AttemptEnded{.job = lost.job, .attempt = lost.attempt, .node = node, .lost = true});
    }
    for (const AttemptId& live : result.live) here.run(live).started = true;
    for (const AttemptId& gone : result.gone) here.run(gone).gone = true;
    for (const AttemptId& orphan : result.orphans) here.orphans[orphan] = {};
    for (const AttemptReport& report : registration.attempts) {
        if (report.checkpointed) reports.on_checkpoint(builder, node, {report.job, report.attempt});
        if (!report.live) reports.on_attempt_ended(builder, node, report, same_boot);
    }
}

}  // namespace

void take_inventory(TurnBuilder& builder, RunsOnNodes& runs, RunReports& reports, NodeId node,
                    const Registration& registration, bool same_boot) {
    NodeRuns& here = runs.of(node);
    settle_steps(builder, here, reports, node, registration, same_boot);
    settle_attempts(builder, here, reports, node, registration, same_boot);
}

}  // namespace berth
