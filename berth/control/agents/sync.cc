// Which orders the state implies for a node. This is the one place that gives orders to launch and
// to end; it is asked whenever the answer may have changed, and again while it has no effect.
#include <algorithm>

#include "berth/control/agents/nodes.h"
#include "berth/control/orders/on_node.h"
#include "berth/control/orders/orders.h"

namespace berth {

void Nodes::sync_marked(Ledger& ledger) {
    for (const NodeId node : sessions_.take_marked()) {
        sync(ledger, node);
        sessions_.check_by(node, next_due(ledger, node));
    }
}

void Nodes::sync(Ledger& ledger, NodeId node) {
    NodeSession& session = sessions_.of(node);
    std::erase_if(session.runs, [&](const auto& entry) {
        return !holds(ledger.state(), node, {entry.first, entry.second.attempt});
    });
    if (!session.link) return;  // Its next registration brings it here again.
    sync_strays(ledger, node);
    for (const JobId id : ledger.state().jobs_on(node)) {
        sync_run(ledger, node, *ledger.state().find_job(id));
    }
    care_for(ledger, node);
}

void Nodes::sync_strays(Ledger& ledger, NodeId node) {
    for (auto& [attempt, delivery] : sessions_.of(node).strays) {
        if (!delivery.due(ledger.now())) continue;
        delivery.sent(ledger.now());
        give(ledger, node, EndAttempt{attempt.job, attempt.attempt, ledger.scheduling().kill_wait});
    }
}

RunProgress::Need Nodes::need_of(const Ledger& ledger, NodeId node, const Job& job,
                                 const RunProgress& run) const {
    if (job.state == JobState::completing || run.gone) {
        // Taken out (gangs), only the batch host is told that the run is over.
        const bool told = ledger.protections().gangs || node == job.nodes.front();
        return told ? RunProgress::Need::end : RunProgress::Need::nothing;
    }
    // What is nobody's may hold what this one is to get.
    if (job.is_configuring() || run.started || !sessions_.of(node).strays.empty())
        return RunProgress::Need::nothing;
    return RunProgress::Need::launch;
}

void Nodes::sync_run(Ledger& ledger, NodeId node, const Job& job) {
    RunProgress& run = sessions_.of(node).run({job.id, job.attempt});
    const RunProgress::Need need = need_of(ledger, node, job, run);
    if (std::exchange(run.need, need) != need) run.delivery = {};
    if (need == RunProgress::Need::nothing) {
        sync_frozen(ledger, node, job, run);
        return sync_steps(ledger, node, job, run);
    }
    if (!run.delivery.due(ledger.now())) return;
    run.delivery.sent(ledger.now());
    if (need == RunProgress::Need::launch) {
        return give(ledger, node, launch_attempt(ledger.state(), job, node));
    }
    constexpr std::int32_t kTerm = 15, kKill = 9;
    const AttemptId attempt{job.id, job.attempt};
    give(ledger, node,
         EndAttempt{job.id, job.attempt, ledger.scheduling().kill_wait,
                    run.at_once ? kKill : kTerm});
    // Taken out (wait_for_clean), what is told to end is taken for ended.
    if (!ledger.protections().wait_for_clean && job.state == JobState::completing) {
        ledger.record(AttemptEnded{.job = attempt.job, .attempt = attempt.attempt, .node = node});
    }
}

// A run stands still, or goes on, as its suspension says; asked for until the agent has done it.
void Nodes::sync_frozen(Ledger& ledger, NodeId node, const Job& job, RunProgress& run) {
    const std::uint32_t wanted = job.suspension ? job.suspension->changes : 0;
    const bool done = !run.started || job.state != JobState::running || run.frozen >= wanted;
    if (std::exchange(run.freezing, done ? 0 : wanted) != wanted) run.freeze_delivery = {};
    if (done || !run.freeze_delivery.due(ledger.now())) return;
    run.freeze_delivery.sent(ledger.now());
    give(ledger, node, FreezeAttempt{job.id, job.attempt, job.is_suspended(), wanted});
}

void Nodes::sync_steps(Ledger& ledger, NodeId node, const Job& job, RunProgress& run) {
    if (!run.started || job.state != JobState::running) return;
    std::set<StepId> here;
    for (const Step& step : job.steps) {
        if (!runs_on(step, node)) continue;
        here.insert(step.id);
        const auto found = run.steps.find(step.id);
        if (found == run.steps.end()) continue;
        StepProgress& progress = found->second;
        const bool to_launch = !progress.started && progress.launch && !progress.ending;
        if ((!to_launch && !progress.ending) || !progress.delivery.due(ledger.now())) continue;
        progress.delivery.sent(ledger.now());
        if (progress.ending) {
            give(ledger, node,
                 EndStep{job.id, job.attempt, step.id, ledger.scheduling().kill_wait});
        } else {
            give(ledger, node, launch_step(*progress.launch, step, node));
        }
    }
    std::erase_if(run.steps, [&](const auto& entry) { return !here.contains(entry.first); });
}

void Nodes::give(Ledger& ledger, NodeId node, OrderBody body) {
    const NodeSession& session = sessions_.of(node);
    if (!session.link) return;
    ledger.order(*session.link, node,
                 Order{ledger.epoch(), session.boot_id, session.number, std::move(body)});
}

// When to look at the node again, if nothing happens before.
std::optional<Time> Nodes::next_due(const Ledger& ledger, NodeId node) const {
    const NodeSession& session = sessions_.of(node);
    std::optional<Time> due = silence_due(ledger.state(), node);
    const auto earlier = [&](Time at) { due = due ? std::min(*due, at) : at; };
    if (const auto care = care_due(ledger.state(), node)) earlier(*care);
    if (!session.link) {
        if (const auto settling = settling_due(ledger.state(), node)) earlier(*settling);
        return due;
    }
    for (const auto& [attempt, delivery] : session.strays) earlier(delivery.next_at());
    for (const auto& [job, run] : session.runs) {
        if (run.need != RunProgress::Need::nothing) {
            earlier(run.delivery.next_at());
            continue;
        }
        if (!run.started) continue;
        if (run.freezing != 0) earlier(run.freeze_delivery.next_at());
        for (const auto& [id, step] : run.steps) {
            if (step.ending || step.launch) earlier(step.delivery.next_at());
        }
    }
    return due;
}

}  // namespace berth
