// How an agent's registration opens a session, and how its inventory is reconciled with the state.
#include <algorithm>

#include "berth/control/agents/changed_by.h"
#include "berth/control/agents/dynamic_nodes.h"
#include "berth/control/agents/gpu_health.h"
#include "berth/control/agents/hardware.h"
#include "berth/control/agents/nodes.h"
#include "berth/control/agents/return_to_service.h"
#include "berth/control/orders/on_node.h"

namespace berth {
namespace {

constexpr ExitStatus kLostStep{.code = 0, .signal = 9};

NodeRegistered registered_fact(NodeId node, const Registration& registration) {
    return {.node = node,
            .boot_id = registration.boot_id,
            .booted_at = registration.booted_at,
            .agent_started_at = registration.agent_started_at,
            .agent_version = registration.version,
            .os = registration.os,
            .arch = registration.arch};
}

}  // namespace

void Nodes::register_node(TurnBuilder& builder, const AgentInput& input,
                          const Registration& registration) {
    const auto refuse = [&](const std::string& why) {
        builder.log(LogLevel::warning,
                    "refused the agent that registers as node '" + input.node + "': " + why);
        builder.close(input.link);
    };
    if (registration.node != input.node) {
        return refuse("its message says that it is '" + registration.node + "'");
    }
    if (registration.boot_id.empty()) return refuse("it does not tell its boot id");
    if (registration.highest_epoch > builder.epoch()) {
        return refuse("it has orders of a later controller, of epoch " +
                      to_string(registration.highest_epoch) + "; this is epoch " +
                      to_string(builder.epoch()));
    }
    const Result<NodeId> known = known_node(builder, registration);
    if (!known.ok()) return refuse(known.error().message);
    const NodeId node = *known;
    const Sessions::Judgement judgement = sessions_.judge(
        node, input.link, registration, builder.now(), builder.scheduling().heartbeat);
    switch (judgement.verdict) {
        case Sessions::Verdict::accept: return accept(builder, input.link, node, registration);
        case Sessions::Verdict::welcome_again: return welcome(builder, node, {});
        case Sessions::Verdict::stale: return;
        case Sessions::Verdict::refuse: return refuse(judgement.why);
    }
}

// An unknown node may join as a dynamic node. A deleted dynamic node may still have ends to report.
Result<NodeId> Nodes::known_node(TurnBuilder& builder, const Registration& registration) {
    const std::optional<NodeId> found = sessions_.find(registration.node);
    const NodeSpec* const spec = found ? &builder.state().spec().node(*found) : nullptr;
    if (spec != nullptr && !spec->is_dynamic()) return *found;
    if (!registration.joins) {
        if (spec != nullptr && !spec->gone) return *found;
        return Error{ErrorCode::not_found, spec == nullptr
                                               ? "the configuration has no such node"
                                               : "it was deleted: start its agent again"};
    }
    BERTH_TRY(std::optional<NodeDescribed> fact,
              joined(builder.state(), registration.node, *registration.joins));
    if (!fact) return *found;
    const ClusterSpec before = builder.state().spec();
    builder.record(*std::move(fact));
    reinstall(builder, before);
    builder.log(LogLevel::info, "node " + registration.node + " joins");
    return *sessions_.find(registration.node);
}

void Nodes::accept(TurnBuilder& builder, Link link, NodeId node, const Registration& registration) {
    // With the protection boot_ids off, a rebooted node looks as if it had never been away.
    const bool same_boot = !builder.protections().boot_ids ||
                           builder.state().condition(node).boot_id == registration.boot_id;
    const NodeCondition before = builder.state().condition(node);
    const bool was_unresponsive = unresponsive_nodes_.is_marked(node);
    if (const auto superseded = sessions_.open(node, link, registration, builder.now())) {
        builder.close(*superseded);
    }
    runs_.on_registered(node, same_boot);
    NodeSession& session = sessions_.of(node);
    session.registered = registered_fact(node, registration);
    session.oldest_live = oldest_live_job(builder.state());
    std::vector<JobId> over = registration.tombstones;
    std::erase_if(over, [&](JobId job) { return !is_over(builder.state(), job); });
    welcome(builder, node, std::move(over));
    builder.record(session.registered);
    unresponsive_nodes_.on_registered(builder, node);
    return_to_service(builder, node, before, was_unresponsive);
    health_checks_.on_registered(builder, node);
    reboots_.on_registered(builder, node, same_boot);
    take_gpu_faults(builder, node, session.instance, registration.faults);
    check_hardware(builder, node, registration.found);
    settle_steps(builder, node, registration, same_boot);
    settle(builder, node, registration, same_boot);
    const auto& orphans = runs_.of(node).orphans;
    if (!orphans.empty()) {
        builder.log(LogLevel::warning, "node " + registration.node + " runs " +
                                           std::to_string(orphans.size()) +
                                           " attempts that are nobody's; it takes no work until "
                                           "they are gone");
        builder.record(NodeNotResponding{node});
    }
    queue_.mark(node);
}

// The whole inventory goes into one record.
void Nodes::settle(TurnBuilder& builder, NodeId node, const Registration& registration,
                   bool same_boot) {
    NodeRuns& here = runs_.of(node);
    std::vector<Believed> believed;
    for (const JobId id : builder.state().jobs_on(node)) {
        const AttemptId attempt{id, builder.state().find_job(id)->attempt};
        believed.push_back({attempt, here.run(attempt).started});
    }
    std::vector<AttemptReport> inventory = registration.attempts;
    // With the protection off, the spool arrives too late.
    if (!builder.protections().atomic_inventory) {
        std::erase_if(inventory, [](const AttemptReport& report) { return !report.live; });
    }
    const Reconciled result = reconcile(believed, inventory, same_boot);
    for (const AttemptId& lost : result.lost) {
        builder.record(
            AttemptEnded{.job = lost.job, .attempt = lost.attempt, .node = node, .lost = true});
    }
    for (const AttemptId& live : result.live) here.run(live).started = true;
    for (const AttemptId& gone : result.gone) here.run(gone).gone = true;
    for (const AttemptId& orphan : result.orphans) here.orphans[orphan] = {};
    for (const AttemptReport& report : registration.attempts) {
        if (!report.live) run_reports_.on_attempt_ended(builder, node, report, same_boot);
    }
}

// Runs before the attempts are settled, so that a step's own end counts, not that of its attempt.
void Nodes::settle_steps(TurnBuilder& builder, NodeId node, const Registration& registration,
                         bool same_boot) {
    for (const StepReport& report : registration.ended_steps)
        run_reports_.on_step_ended(builder, node, report);
    if (!same_boot) return;
    for (const JobId id : builder.state().jobs_on(node)) {
        const AttemptId attempt{id, builder.state().find_job(id)->attempt};
        const auto found = std::ranges::find_if(registration.attempts, [&](const auto& report) {
            return AttemptId{report.job, report.attempt} == attempt;
        });
        const bool absent = found == registration.attempts.end();
        if (!absent && !found->live) continue;
        settle_steps_of(builder, node, attempt, absent ? std::vector<StepId>{} : found->live_steps);
    }
}

// A step that is absent and whose order this controller does not have has not started and never
// will.
void Nodes::settle_steps_of(TurnBuilder& builder, NodeId node, AttemptId attempt,
                            const std::vector<StepId>& live) {
    RunProgress& run = runs_.of(node).run(attempt);
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

void Nodes::check_hardware(TurnBuilder& builder, NodeId node, const NodeSpec& found) {
    const ClusterSpec& spec = builder.state().spec();
    drain_absent_gpus(builder, node, found);
    std::string fault = hardware_shortfall(spec.node(node), found, spec.dimensions,
                                           builder.state().condition(node).drained_mask());
    if (fault.empty() || builder.state().condition(node).drained) return;
    builder.log(LogLevel::warning, "node " + spec.node(node).name + " is drained: " + fault);
    builder.record(NodeUpdated{
        .node = node, .drained = true, .reason = std::move(fault), .by = kByController});
}

void Nodes::welcome(TurnBuilder& builder, NodeId node, std::vector<JobId> over) {
    const ClusterSpec& spec = builder.state().spec();
    sessions_.send_order(
        builder, node,
        Welcome{.node = node,
                .heartbeat = builder.scheduling().heartbeat,
                .oldest_live_job = sessions_.of(node).oldest_live,
                .sampling = spec.care.sampling,
                .setup = NodeSetup{.node = spec.node(node), .dimensions = spec.dimensions},
                .over = std::move(over)});
}

}  // namespace berth
