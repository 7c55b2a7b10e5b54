#include "berth/control/agents/order_sync.h"

#include <algorithm>
#include <utility>

#include "berth/control/orders/on_node.h"
#include "berth/control/orders/orders.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/engine/state/lent_cores.h"
#include "berth/model/preempted_by.h"

namespace berth {
namespace {

constexpr std::int32_t kTerm = 15, kKill = 9;

EndReason end_reason(const Job& job) {
    if (job.state != JobState::completing) return EndReason::cancelled;
    if (preemptor_of(job.state_reason)) return EndReason::preempted;
    switch (job.outcome) {
        case JobState::timeout:
        case JobState::deadline: return EndReason::time_limit;
        case JobState::node_fail: return EndReason::node_failed;
        case JobState::pending: return EndReason::requeued;
        default: return EndReason::cancelled;
    }
}

std::size_t steps_to_end(const Job& job) {
    return static_cast<std::size_t>(std::ranges::count_if(job.steps, [](const Step& step) {
        return step.out_of_time && step.state == StepState::running;
    }));
}

}  // namespace

// A change to a job that holds resources concerns its nodes only if it is another run, or its end.
void OrderSync::mark_changed(const ClusterState& state, const ClusterState::Touched& touched) {
    for (const JobId id : touched.gone) seen_.erase(id);
    for (const JobId id : touched.jobs) {
        const Job* const job = state.find_job(id);
        if (job == nullptr || !job->allocation) {
            seen_.erase(id);
            continue;
        }
        const Seen is{
            job->attempt,          job->state,       job->suspension ? job->suspension->changes : 0,
            job->is_configuring(), job->must_save(), steps_to_end(*job)};
        const auto [was, is_new] = seen_.emplace(id, is);
        if (!is_new && was->second == is) continue;
        was->second = is;
        for (const NodeShare& share : job->allocation->shares) queue_.mark(share.node);
    }
}

void OrderSync::sync(TurnBuilder& builder, NodeId node) {
    std::erase_if(runs_.of(node).runs, [&](const auto& entry) {
        return !holds(builder.state(), node, {entry.first, entry.second.attempt});
    });
    if (!sessions_.of(node).link) return;  // The next registration marks the node again.
    sync_orphans(builder, node);
    for (const JobId id : builder.state().index().on_node(node)) {
        sync_run(builder, node, *builder.state().find_job(id));
    }
}

void OrderSync::sync_orphans(TurnBuilder& builder, NodeId node) {
    // One that stood still would have to go on to hear SIGTERM, on cores that another run may have.
    const bool may_stand_still = builder.scheduling().preemption.gang ||
                                 builder.engine().derived().preemptions.rules.suspends();
    const bool at_once = may_stand_still && !builder.state().index().on_node(node).empty();
    for (auto& [attempt, delivery] : runs_.of(node).orphans) {
        if (!delivery.due(builder.now())) continue;
        delivery.sent(builder.now());
        sessions_.send_order(builder, node,
                             EndAttempt{attempt.job, attempt.attempt,
                                        builder.scheduling().kill_wait, at_once ? kKill : kTerm});
    }
}

RunProgress::Need OrderSync::need_of(NodeId node, const Job& job, const RunProgress& run) const {
    if (job.state == JobState::completing || run.gone) return RunProgress::Need::end;
    // Before its first turn, others have its cores. An orphan may hold resources that it needs.
    if (job.is_configuring() || (job.is_suspended() && job.suspension->not_launched)) {
        return RunProgress::Need::nothing;
    }
    if (run.started || !runs_.of(node).orphans.empty()) return RunProgress::Need::nothing;
    return RunProgress::Need::launch;
}

void OrderSync::sync_run(TurnBuilder& builder, NodeId node, const Job& job) {
    RunProgress& run = runs_.of(node).run({job.id, job.attempt});
    const RunProgress::Need need = need_of(node, job, run);
    if (std::exchange(run.need, need) != need) run.delivery = {};
    if (need == RunProgress::Need::nothing) {
        sync_frozen(builder, node, job, run);
        warn_to_save(builder, node, job, run);
        return sync_steps(builder, node, job, run);
    }
    if (!run.delivery.due(builder.now())) return;
    run.delivery.sent(builder.now());
    if (need == RunProgress::Need::launch) {
        return sessions_.send_order(builder, node, launch_attempt(builder.state(), job, node));
    }
    const ClusterState& state = builder.state();
    // To hear SIGTERM it would have to go on, and others have its cores; or it has had its time.
    const bool lends = !job.lends_by_turns() && has_borrowers(state.jobs(), state.index(), job);
    const bool at_once = run.at_once || lends || is_checkpoint_timeout(job.state_reason) ||
                         (job.suspension && job.suspension->ended_still);
    sessions_.send_order(builder, node,
                         EndAttempt{job.id, job.attempt, builder.scheduling().kill_wait,
                                    at_once ? kKill : kTerm, end_reason(job)});
}

// Freezes or thaws a run as its suspension says. The order is repeated until the agent has carried
// it out.
void OrderSync::sync_frozen(TurnBuilder& builder, NodeId node, const Job& job, RunProgress& run) {
    const std::uint32_t wanted = job.suspension ? job.suspension->changes : 0;
    const bool done = !run.started || job.state != JobState::running || run.frozen >= wanted;
    if (std::exchange(run.freezing, done ? 0 : wanted) != wanted) run.freeze_delivery = {};
    if (done || !run.freeze_delivery.due(builder.now())) return;
    run.freeze_delivery.sent(builder.now());
    sessions_.send_order(builder, node,
                         FreezeAttempt{job.id, job.attempt, job.is_suspended(), wanted});
}

// The signal that the job names, or SIGTERM to its steps and, if none runs, to all of its script.
// Sent once in each session of the node: the link loses nothing before it breaks, and a new
// controller cannot know what the last one has sent. The agent drops what it has had.
void OrderSync::warn_to_save(TurnBuilder& builder, NodeId node, const Job& job, RunProgress& run) {
    if (!run.started || !job.must_save() || std::exchange(run.warned, true)) return;
    const bool has_script = job.nodes.front() == node;
    SignalAttempt order{.job = job.id, .attempt = job.attempt, .signal = kTerm, .checkpoint = true};
    if (const std::optional<WarningSignal>& named = job.spec.command->warning) {
        if (named->batch && !has_script) return;
        order.signal = named->signal;
        if (named->batch) order.step = kBatchStep;
    } else {
        const bool any_step = std::ranges::any_of(
            job.steps, [](const Step& step) { return step.state == StepState::running; });
        order.whole_job = has_script && !any_step;
    }
    sessions_.send_order(builder, node, order);
}

void OrderSync::sync_steps(TurnBuilder& builder, NodeId node, const Job& job, RunProgress& run) {
    if (!run.started || job.state != JobState::running) return;
    std::set<StepId> here;
    for (const Step& step : job.steps) {
        if (!runs_on(step, node)) continue;
        here.insert(step.id);
        const auto found = run.steps.find(step.id);
        if (found == run.steps.end()) continue;
        StepProgress& progress = found->second;
        if (step.out_of_time && !std::exchange(progress.ending, true)) {
            progress.reason = EndReason::time_limit;
            progress.delivery = {};
        }
        const bool to_launch = !progress.started && progress.launch && !progress.ending;
        progress.waits = to_launch && job.is_suspended();
        if (progress.waits) continue;
        if ((!to_launch && !progress.ending) || !progress.delivery.due(builder.now())) continue;
        progress.delivery.sent(builder.now());
        if (progress.ending) {
            sessions_.send_order(builder, node,
                                 EndStep{job.id, job.attempt, step.id,
                                         builder.scheduling().kill_wait, progress.reason});
        } else {
            sessions_.send_order(builder, node, launch_step(*progress.launch, step, node));
        }
    }
    std::erase_if(run.steps, [&](const auto& entry) { return !here.contains(entry.first); });
}

std::optional<Time> OrderSync::next_due(NodeId node) const {
    if (!sessions_.of(node).link) return std::nullopt;
    std::optional<Time> due;
    const auto earlier = [&](Time at) { due = due ? std::min(*due, at) : at; };
    const NodeRuns& here = runs_.of(node);
    for (const auto& [attempt, delivery] : here.orphans) earlier(delivery.next_at());
    for (const auto& [job, run] : here.runs) {
        if (run.need != RunProgress::Need::nothing) {
            earlier(run.delivery.next_at());
            continue;
        }
        if (!run.started) continue;
        if (run.freezing != 0) earlier(run.freeze_delivery.next_at());
        for (const auto& [id, step] : run.steps) {
            if (step.ending || (step.launch && !step.waits)) earlier(step.delivery.next_at());
        }
    }
    return due;
}

}  // namespace berth
