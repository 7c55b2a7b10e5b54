#include "berth/control/agents/run_reports.h"

#include <algorithm>

#include "berth/control/agents/changed_by.h"
#include "berth/control/orders/on_node.h"
#include "berth/engine/cycle/preempted_runs.h"
#include "berth/engine/state/job_queries.h"
#include "berth/engine/state/turns.h"

namespace berth {
namespace {

// For a step that failed before any of its tasks could exit.
constexpr ExitStatus kFailedStep{.code = 1, .signal = 0};

constexpr Duration kUnkillableTimeout = std::chrono::seconds(60);  // Of UnkillableStepProgram.

// If the site's prolog or epilog fails on a node, the node takes no more work until an
// administrator resumes it.
void drain_for(TurnBuilder& builder, NodeId node, const AttemptReport& report) {
    const std::string reason = report.failed_hook == Hook::prolog ? "Prolog error" : "Epilog error";
    builder.log(LogLevel::error, "node " + builder.state().spec().node(node).name +
                                     " is drained: " + report.hook_failure + " (job " +
                                     to_string(report.job) + ")");
    if (builder.state().nodes().condition(node).drained) return;
    builder.record(
        NodeUpdated{.node = node, .drained = true, .reason = reason, .by = kByController});
}

}  // namespace

void RunReports::on_attempt_started(TurnBuilder& builder, NodeId node, AttemptId attempt) {
    NodeRuns& here = runs_.of(node);
    if (holds(builder.state(), node, attempt)) {
        here.run(attempt).started = true;
        const Job& job = *builder.state().find_job(attempt.job);
        refusals_.on_start(builder.state(), node);
        if (refusals_.contains(job) && runs_everywhere(builder.state(), job)) refusals_.forget(job);
    } else {
        here.orphans.try_emplace(attempt);  // It should not be there.
    }
    queue_.mark(node);
}

bool RunReports::runs_everywhere(const ClusterState& state, const Job& job) {
    return std::ranges::all_of(components_with(job), [&](JobId id) {
        const Job* const one = state.find_job(id);
        if (one == nullptr || one->state != JobState::running) return false;
        return std::ranges::all_of(one->allocation->shares, [&](const NodeShare& share) {
            return runs_.of(share.node).run({id, one->attempt}).started;
        });
    });
}

void RunReports::on_attempt_frozen(TurnBuilder& builder, NodeId node, const AttemptFrozen& report) {
    const AttemptId attempt{report.job, report.attempt};
    if (!holds(builder.state(), node, attempt)) return;
    RunProgress& run = runs_.of(node).run(attempt);
    run.frozen = std::max(run.frozen, report.change);
    if (report.proved) run.proved = std::max(run.proved, report.change);
    queue_.mark(node);
    const Job& job = *builder.state().find_job(report.job);
    if (!job.suspension) return;
    const ClusterState& state = builder.state();
    const bool shares = job.lends_cores() || takes_turns(state.jobs(), state.index(), job);
    const bool awaited =
        job.is_suspended() ? shares && !job.suspension->proved : job.suspension->unproved;
    if (!awaited) return;
    const std::uint32_t change = job.suspension->changes;
    const bool all = std::ranges::all_of(job.allocation->shares, [&](const NodeShare& share) {
        return runs_.of(share.node).run(attempt).proved == change;
    });
    if (all) builder.record(JobFrozen{job.id, job.attempt, change});
}

// In Slurm's words.
void RunReports::on_unkillable(TurnBuilder& builder, NodeId node,
                               const AttemptUnkillable& report) const {
    if (builder.state().nodes().condition(node).drained) return;
    builder.log(LogLevel::error, "node " + builder.state().spec().node(node).name +
                                     " is drained: processes of job " + to_string(report.job) +
                                     " live on though they were killed");
    builder.record(NodeUpdated{
        .node = node, .drained = true, .reason = "Kill task failed", .by = kByController});
    const std::string& program = builder.state().spec().care.unkillable_program;
    if (program.empty()) return;
    sessions_.send_order(builder, node,
                         RunNodeProgram{.program = NodeProgram::unkillable,
                                        .path = program,
                                        .timeout = kUnkillableTimeout,
                                        .credential = {},
                                        .variables = {"SLURM_JOB_ID=" + to_string(report.job)}});
}

// Said again in each registration.
void RunReports::on_checkpoint(TurnBuilder& builder, NodeId node, AttemptId attempt) {
    if (!holds(builder.state(), node, attempt)) return;
    const Job& job = *builder.state().find_job(attempt.job);
    if (job.must_save() && job.nodes.front() == node)
        builder.record(CheckpointSeen{attempt.job, attempt.attempt});
}

void RunReports::on_attempt_ended(TurnBuilder& builder, NodeId node, const AttemptReport& report,
                                  bool same_boot) {
    const AttemptId attempt{report.job, report.attempt};
    if (holds(builder.state(), node, attempt)) {
        end_attempt(builder, node, attempt, report, same_boot);
    }
    sessions_.send_order(builder, node, AcknowledgeEnd{report.job, report.attempt, std::nullopt});
    on_orphan_ended(builder, node, attempt);
    queue_.mark(node);
}

// REQUIRES: the attempt holds resources on the node.
void RunReports::end_attempt(TurnBuilder& builder, NodeId node, AttemptId attempt,
                             const AttemptReport& report, bool same_boot) {
    const bool started = runs_.of(node).run(attempt).started;
    // Only a failure before anything ran counts as a failed launch, which holds the job.
    const bool launch_failed = !report.failure.empty() && !report.batch_exit && same_boot &&
                               (report.never_ran || !started);
    // A job that was already to end was killed by us: its node is not at fault.
    const Job& job = *builder.state().find_job(attempt.job);
    const bool was_to_run = job.state == JobState::running || refusals_.contains(job);
    const bool not_begun = launch_failed && was_to_run && report.not_begun != NotBegun::unknown;
    const bool requeued = not_begun && refusals_.requeue(builder, node, job, report);
    const bool held =
        launch_failed && !requeued && report.not_begun != NotBegun::for_node &&
        (report.failed_hook != Hook::prolog || builder.state().spec().hooks.hold_on_failure);
    // Its steps were told to end, and its script failed with them: that is preemption, too.
    // Or it has saved what it was to save, and left the rest to its next run.
    if (report.checkpointed) on_checkpoint(builder, node, attempt);
    const bool gave_way =
        job.state == JobState::running && job.allocation->preempted && !job.lends_cores() &&
        report.batch_exit &&
        (*report.batch_exit != ExitStatus{} || job.allocation->preempted->saved) &&
        job.nodes.front() == node;
    if (gave_way) builder.record(end_of_preempted(builder.state(), job, builder.now()));
    builder.record(AttemptEnded{
        .job = attempt.job,
        .attempt = attempt.attempt,
        .node = node,
        .batch_exit = report.batch_exit,
        .out_of_memory = report.out_of_memory,
        .lost = report.never_ran || (!report.failure.empty() && !report.batch_exit),
        .reason = held || report.batch_exit == kNoFilesExit ? report.failure : std::string(),
        .usage = report.usage,
        .ended_at = report.ended_at,
    });
    if (not_begun) refusals_.count_against(builder, node, report);
    refusals_.settle(builder, attempt.job);
    if (report.failed_hook != Hook::none) drain_for(builder, node, report);
    if (!report.failure.empty()) {
        builder.log(LogLevel::warning, "job " + to_string(attempt.job) + " on node " +
                                           builder.state().spec().node(node).name + ": " +
                                           report.failure);
    }
}

// When the last orphan has ended, the node may take work again.
void RunReports::on_orphan_ended(TurnBuilder& builder, NodeId node, AttemptId attempt) {
    std::map<AttemptId, Delivery>& orphans = runs_.of(node).orphans;
    if (orphans.erase(attempt) == 0 || !orphans.empty()) return;
    if (builder.state().nodes().condition(node).responding) return;
    builder.record(sessions_.of(node).registered);
}

void RunReports::on_step_started(const TurnBuilder& builder, NodeId node,
                                 const StepStarted& report) {
    const AttemptId attempt{report.job, report.attempt};
    if (!holds(builder.state(), node, attempt)) return;
    RunProgress& run = runs_.of(node).run(attempt);
    run.started = true;
    const Step* const step = find_step(*builder.state().find_job(report.job), report.step);
    if (step == nullptr || !runs_on(*step, node)) return;
    StepProgress& progress = run.steps[report.step];
    progress.started = true;
    progress.launch.reset();
    queue_.mark(node);
}

void RunReports::on_step_ended(TurnBuilder& builder, NodeId node, const StepReport& report) {
    if (holds(builder.state(), node, {report.job, report.attempt})) {
        const Step* const step = find_step(*builder.state().find_job(report.job), report.step);
        if (step != nullptr && runs_on(*step, node)) {
            const bool failed = !report.failure.empty() && report.exit == ExitStatus{};
            builder.record(StepEnded{report.job, report.attempt, report.step, node,
                                     failed ? kFailedStep : report.exit, report.out_of_memory,
                                     report.usage});
        }
        runs_.of(node).run({report.job, report.attempt}).steps.erase(report.step);
    }
    sessions_.send_order(builder, node, AcknowledgeEnd{report.job, report.attempt, report.step});
    queue_.mark(node);
}

}  // namespace berth
