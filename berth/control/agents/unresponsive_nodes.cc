#include "berth/control/agents/unresponsive_nodes.h"

#include <algorithm>
#include <utility>

#include "berth/control/agents/changed_by.h"
#include "berth/control/agents/return_to_service.h"

namespace berth {
namespace {

constexpr Duration kFenceRepeat = std::chrono::minutes(1);
// Further nodes wait; a node that responds meanwhile is not fenced.
constexpr std::size_t kFencesAtOnce = 16;
// After a clock jump or a pause of the controller all nodes seem not to respond. A live agent
// reports within moments after its link is lost.
constexpr Duration kGraceMost = std::chrono::seconds(30);

Duration presumed_after(const SchedulingSpec& scheduling, const FenceSpec& fence) {
    return std::max(*fence.presume_dead_after, scheduling.agent_timeout);
}

bool does_not_wait(const ClusterState& state, JobId job) {
    return state.find_job(job)->spec.presume_dead;
}

void end_attempts_on(TurnBuilder& builder, NodeId node) {
    for (const JobId id : builder.state().index().on_node(node)) {
        const Attempt attempt = builder.state().find_job(id)->attempt;
        builder.record(AttemptEnded{.job = id, .attempt = attempt, .node = node, .lost = true});
    }
}

}  // namespace

void UnresponsiveNodes::begin_watch(TurnBuilder& builder) {
    for (std::size_t i = 0; i < builder.state().spec().nodes.size(); ++i) {
        const NodeId node = NodeId::from_index(i);
        NodeSession& session = sessions_.of(node);
        if (!session.link) session.heard_at = builder.now();
        queue_.mark(node);
    }
}

// nullopt: this node is known not to respond.
std::optional<Time> UnresponsiveNodes::late_at(const ClusterState& state, NodeId node) const {
    const NodeSession& session = sessions_.of(node);
    if (!session.link && !state.nodes().condition(node).responding) return std::nullopt;
    return session.heard_at + state.spec().scheduling.agent_timeout;
}

bool UnresponsiveNodes::mark_if_late(TurnBuilder& builder, NodeId node) {
    const std::optional<Time> late = late_at(builder.state(), node);
    if (!late || *late > builder.now()) return false;
    const NodeSession& session = sessions_.of(node);
    builder.log(LogLevel::warning, "node " + builder.state().spec().node(node).name +
                                       " is not responding: nothing heard for " +
                                       std::to_string(seconds(builder.now() - session.heard_at)) +
                                       " seconds");
    if (builder.state().nodes().condition(node).responding) builder.record(NodeNotResponding{node});
    if (session.link) builder.close(*session.link);
    sessions_.close(node);
    watches_[node].marked_at = builder.now();
    set_down_if_kept(builder, node);
    return true;
}

bool UnresponsiveNodes::may_fence(const ClusterState& state, const Watch& watch) const {
    return !state.spec().fence.program.empty() && !watch.fencing && fencing_ < kFencesAtOnce;
}

// When to settle the jobs of a node that does not respond; nullopt: there are none, or no way to.
std::optional<Time> UnresponsiveNodes::settling_due(const ClusterState& state, NodeId node) const {
    const NodeSession& session = sessions_.of(node);
    const Watch& watch = watches_[node];
    const FenceSpec& fence = state.spec().fence;
    if (session.link || state.nodes().condition(node).responding) return std::nullopt;
    const std::vector<JobId> held = state.index().on_node(node);
    if (held.empty()) return std::nullopt;
    const Duration timeout = state.spec().scheduling.agent_timeout;
    const Time late = session.heard_at + timeout;
    std::optional<Time> due;
    const auto earlier = [&](Time at) { due = due ? std::min(*due, at) : at; };
    if (may_fence(state, watch)) earlier(std::max(late, watch.fence_at));
    if (fence.presume_dead_after) {
        earlier(session.heard_at + presumed_after(state.spec().scheduling, fence));
    }
    if (std::ranges::any_of(held, [&](JobId id) { return does_not_wait(state, id); })) {
        earlier(late);
    }
    if (due && watch.marked_at) {
        due = std::max(*due, *watch.marked_at + std::min(timeout, kGraceMost));
    }
    return due;
}

void UnresponsiveNodes::settle_jobs(TurnBuilder& builder, NodeId node) {
    const std::optional<Time> due = settling_due(builder.state(), node);
    if (!due || *due > builder.now()) return;
    presume_dead(builder, node);
    const Watch& watch = watches_[node];
    const bool holds_any = !builder.state().index().on_node(node).empty();
    const bool to_fence = may_fence(builder.state(), watch) && watch.fence_at <= builder.now();
    if (holds_any && to_fence) call_fence(builder, node);
}

std::optional<Time> UnresponsiveNodes::next_due(const ClusterState& state, NodeId node) const {
    const std::optional<Time> late = late_at(state, node);
    const std::optional<Time> settling = settling_due(state, node);
    return late && settling ? std::min(*late, *settling) : late ? late : settling;
}

// The node takes no work before it registers again, and whatever it still runs then is ended first.
// So its GPUs are never allocated twice, but a job may run twice for a while.
void UnresponsiveNodes::presume_dead(TurnBuilder& builder, NodeId node) {
    const FenceSpec& fence = builder.state().spec().fence;
    const Duration silence = builder.now() - sessions_.of(node).heard_at;
    const bool all =
        fence.presume_dead_after && silence >= presumed_after(builder.scheduling(), fence);
    for (const JobId id : builder.state().index().on_node(node)) {
        if (!all && !does_not_wait(builder.state(), id)) continue;
        builder.log(LogLevel::warning,
                    "job " + to_string(id) + " is taken for dead on node " +
                        builder.state().spec().node(node).name +
                        ", without proof: " + (all ? "presume_dead_after" : "the job wants it so"));
        const Attempt attempt = builder.state().find_job(id)->attempt;
        builder.record(AttemptEnded{.job = id, .attempt = attempt, .node = node, .lost = true});
    }
}

void UnresponsiveNodes::call_fence(TurnBuilder& builder, NodeId node) {
    const NodeSpec& spec = builder.state().spec().node(node);
    const FenceSpec& fence = builder.state().spec().fence;
    watches_[node].fencing = true;
    ++fencing_;
    builder.log(LogLevel::warning, "node " + spec.name + " is silent and holds jobs: " +
                                       fence.program + " is asked to switch it off");
    builder.fence({.node = spec.name,
                   .hostname = spec.hostname,
                   .address = spec.address,
                   .boot_id = builder.state().nodes().condition(node).boot_id,
                   .program = fence.program,
                   .timeout = fence.timeout});
}

void UnresponsiveNodes::on_fence_answered(TurnBuilder& builder, const FenceAnswered& answer) {
    const std::optional<NodeId> found = sessions_.find(answer.node);
    if (!found) return;
    const NodeId node = *found;
    Watch& watch = watches_[node];
    if (std::exchange(watch.fencing, false) && fencing_-- == kFencesAtOnce) {
        mark_disconnected(builder);
    }
    watch.fence_at = builder.now() + kFenceRepeat;
    queue_.mark(node);
    const NodeCondition& condition = builder.state().nodes().condition(node);
    // It has rebooted since, which is proof enough.
    if (condition.boot_id != answer.boot_id) return;
    if (!answer.failure.empty()) {
        builder.log(LogLevel::error, "node " + answer.node + " is not proved dead: the fence " +
                                         answer.failure + "; its jobs wait");
        if (condition.responding || condition.fence_failure == answer.failure) return;
        return builder.record(NodeFenced{node, answer.boot_id, answer.failure});
    }
    builder.log(LogLevel::warning, "node " + answer.node + " is switched off by its fence");
    if (const auto link = sessions_.of(node).link) builder.close(*link);
    sessions_.close(node);
    if (condition.responding) builder.record(NodeNotResponding{node});
    builder.record(NodeFenced{node, answer.boot_id, ""});
    end_attempts_on(builder, node);
}

// A fence call is free: marks the nodes that may wait for it.
void UnresponsiveNodes::mark_disconnected(const TurnBuilder& builder) {
    for (std::size_t i = 0; i < builder.state().spec().nodes.size(); ++i) {
        const NodeId node = NodeId::from_index(i);
        if (!sessions_.of(node).link) queue_.mark(node);
    }
}

void UnresponsiveNodes::on_registered(TurnBuilder& builder, NodeId node) {
    watches_[node].marked_at.reset();
    const NodeCondition& condition = builder.state().nodes().condition(node);
    if (condition.fenced_boot.empty() || condition.fenced_boot != condition.boot_id) return;
    builder.log(LogLevel::error,
                "node " + builder.state().spec().node(node).name +
                    " is alive in the very boot that its fence said it had ended: the fence is not "
                    "to be trusted, and jobs may have run twice");
    if (condition.drained) return;
    builder.record(NodeUpdated{.node = node,
                               .drained = true,
                               .reason = "Fence reported it dead, and it was not",
                               .by = kByController});
}

}  // namespace berth
