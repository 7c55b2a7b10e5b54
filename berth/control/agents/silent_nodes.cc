// What becomes of a node that is silent and still holds jobs. By itself nothing: its runs may go on
// behind a broken network, and a second run of the same job would do harm. Only a proof ends them
// (the site's fence has switched the node off), or the word of the site or of a job that it does
// not want to wait for one.
#include <algorithm>
#include <utility>

#include "berth/control/agents/nodes.h"

namespace berth {
namespace {

constexpr Duration kFenceRepeat = std::chrono::minutes(1);
// The others wait for theirs, and are not asked for if they come back meanwhile.
constexpr std::size_t kFencesAtOnce = 16;
// A clock that has jumped, or a controller that was stopped for a while, makes all nodes silent at
// once. Whoever is alive says so within moments of losing its link.
constexpr Duration kGraceMost = std::chrono::seconds(30);

Duration presumed_after(const SchedulingSpec& scheduling, const FenceSpec& fence) {
    return std::max(*fence.presume_dead_after, scheduling.agent_timeout);
}

bool does_not_wait(const ClusterState& state, JobId job) {
    return state.find_job(job)->spec.presume_dead;
}

}  // namespace

void Nodes::begin_watch(Ledger& ledger) {
    for (std::size_t i = 0; i < ledger.state().spec().nodes.size(); ++i) {
        const NodeId node = NodeId::from_index(i);
        NodeSession& session = sessions_.of(node);
        if (!session.link) session.heard_at = ledger.now();
        sessions_.mark(node);
    }
}

// When to settle what a silent node holds; nullopt: there is nothing to settle, or no way to.
std::optional<Time> Nodes::settling_due(const ClusterState& state, NodeId node) const {
    const NodeSession& session = sessions_.of(node);
    const FenceSpec& fence = state.spec().fence;
    if (session.link || state.condition(node).responding) return std::nullopt;
    const std::vector<JobId> held = state.jobs_on(node);
    if (held.empty()) return std::nullopt;
    const Duration timeout = state.spec().scheduling.agent_timeout;
    const Time silent_at = session.heard_at + timeout;
    std::optional<Time> due;
    const auto earlier = [&](Time at) { due = due ? std::min(*due, at) : at; };
    if (!fence.program.empty() && !session.fencing && fencing_ < kFencesAtOnce) {
        earlier(std::max(silent_at, session.fence_at));
    }
    if (fence.presume_dead_after) {
        earlier(session.heard_at + presumed_after(state.spec().scheduling, fence));
    }
    if (std::ranges::any_of(held, [&](JobId id) { return does_not_wait(state, id); })) {
        earlier(silent_at);
    }
    if (due && session.silent_at) {
        due = std::max(*due, *session.silent_at + std::min(timeout, kGraceMost));
    }
    return due;
}

void Nodes::settle_silent(Ledger& ledger, NodeId node) {
    const std::optional<Time> due = settling_due(ledger.state(), node);
    if (!due || *due > ledger.now()) return;
    presume_dead(ledger, node);
    const NodeSession& session = sessions_.of(node);
    const bool holds_any = !ledger.state().jobs_on(node).empty();
    const bool to_ask = !ledger.state().spec().fence.program.empty() && !session.fencing &&
                        fencing_ < kFencesAtOnce;
    if (holds_any && to_ask && session.fence_at <= ledger.now()) ask_fence(ledger, node);
}

// The node itself takes no work before it has registered again, and what it still runs then is
// ended first: its GPUs are never given twice. But a job may run twice for a while.
void Nodes::presume_dead(Ledger& ledger, NodeId node) {
    const FenceSpec& fence = ledger.state().spec().fence;
    const Duration silence = ledger.now() - sessions_.of(node).heard_at;
    const bool all =
        fence.presume_dead_after && silence >= presumed_after(ledger.scheduling(), fence);
    for (const JobId id : ledger.state().jobs_on(node)) {
        if (!all && !does_not_wait(ledger.state(), id)) continue;
        ledger.log(LogLevel::warning,
                   "job " + to_string(id) + " is taken for dead on node " +
                       ledger.state().spec().node(node).name +
                       ", without proof: " + (all ? "presume_dead_after" : "the job wants it so"));
        const Attempt attempt = ledger.state().find_job(id)->attempt;
        ledger.record(AttemptEnded{.job = id, .attempt = attempt, .node = node, .lost = true});
    }
}

void Nodes::ask_fence(Ledger& ledger, NodeId node) {
    const NodeSpec& spec = ledger.state().spec().node(node);
    const FenceSpec& fence = ledger.state().spec().fence;
    sessions_.of(node).fencing = true;
    ++fencing_;
    ledger.log(LogLevel::warning, "node " + spec.name + " is silent and holds jobs: " +
                                      fence.program + " is asked to switch it off");
    ledger.fence({.node = spec.name,
                  .hostname = spec.hostname,
                  .address = spec.address,
                  .boot_id = ledger.state().condition(node).boot_id,
                  .program = fence.program,
                  .timeout = fence.timeout});
}

// It may have come back meanwhile, in the boot that is over now: then what we hear of it is old.
void Nodes::fence_answered(Ledger& ledger, const FenceAnswered& answer) {
    const auto found = by_name_.find(answer.node);
    if (found == by_name_.end()) return;
    const NodeId node = found->second;
    NodeSession& session = sessions_.of(node);
    if (std::exchange(session.fencing, false) && fencing_-- == kFencesAtOnce) mark_silent(ledger);
    session.fence_at = ledger.now() + kFenceRepeat;
    sessions_.mark(node);
    const NodeCondition& condition = ledger.state().condition(node);
    if (condition.boot_id != answer.boot_id) return;  // Reborn since: that says it all.
    if (!answer.failure.empty()) {
        ledger.log(LogLevel::error, "node " + answer.node + " is not proved dead: the fence " +
                                        answer.failure + "; its jobs wait");
        if (condition.responding || condition.fence_failure == answer.failure) return;
        return ledger.record(NodeFenced{node, answer.boot_id, answer.failure});
    }
    ledger.log(LogLevel::warning, "node " + answer.node + " is switched off by its fence");
    if (session.link) ledger.close(*session.link);
    sessions_.close(node);
    if (condition.responding) ledger.record(NodeSilent{node});
    ledger.record(NodeFenced{node, answer.boot_id, ""});
    end_attempts_on(ledger, node);
}

// A fence is free: for one of these.
void Nodes::mark_silent(const Ledger& ledger) {
    for (std::size_t i = 0; i < ledger.state().spec().nodes.size(); ++i) {
        const NodeId node = NodeId::from_index(i);
        if (!sessions_.of(node).link) sessions_.mark(node);
    }
}

void Nodes::end_attempts_on(Ledger& ledger, NodeId node) {
    for (const JobId id : ledger.state().jobs_on(node)) {
        const Attempt attempt = ledger.state().find_job(id)->attempt;
        ledger.record(AttemptEnded{.job = id, .attempt = attempt, .node = node, .lost = true});
    }
}

// A boot that the fence said was over speaks to us.
void Nodes::note_survival(Ledger& ledger, NodeId node) {
    const NodeCondition& condition = ledger.state().condition(node);
    if (condition.fenced_boot.empty() || condition.fenced_boot != condition.boot_id) return;
    ledger.log(LogLevel::error,
               "node " + ledger.state().spec().node(node).name +
                   " is alive in the very boot that its fence said it had ended: the fence is not "
                   "to be trusted, and jobs may have run twice");
    if (condition.drained) return;
    ledger.record(NodeUpdated{.node = node,
                              .drained = true,
                              .reason = "Fence reported it dead, and it was not",
                              .by = kOurselves});
}

}  // namespace berth
