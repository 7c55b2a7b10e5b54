#include "berth/control/agents/registrations.h"

#include <algorithm>

#include "berth/control/agents/changed_by.h"
#include "berth/control/agents/dynamic_nodes.h"
#include "berth/control/agents/gpu_health.h"
#include "berth/control/agents/hardware.h"
#include "berth/control/agents/inventory.h"
#include "berth/control/agents/return_to_service.h"
#include "berth/control/orders/on_node.h"

namespace berth {
namespace {

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

void Registrations::on_registration(TurnBuilder& builder, const AgentInput& input,
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
    const Sessions::Judgement judgement = parts_.sessions.judge(
        node, input.link, registration, builder.now(), builder.scheduling().heartbeat);
    switch (judgement.verdict) {
        case Sessions::Verdict::accept: return accept(builder, input.link, node, registration);
        case Sessions::Verdict::welcome_again: return welcome(builder, node, {});
        case Sessions::Verdict::stale: return;
        case Sessions::Verdict::refuse: return refuse(judgement.why);
    }
}

// An unknown node may join as a dynamic node. A deleted dynamic node may still have ends to report.
Result<NodeId> Registrations::known_node(TurnBuilder& builder, const Registration& registration) {
    const std::optional<NodeId> found = parts_.sessions.find(registration.node);
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
    on_reconfigured(builder, before);
    builder.log(LogLevel::info, "node " + registration.node + " joins");
    return *parts_.sessions.find(registration.node);
}

void Registrations::accept(TurnBuilder& builder, Link link, NodeId node,
                           const Registration& registration) {
    const NodeCondition before = builder.state().nodes().condition(node);
    const bool same_boot = before.boot_id == registration.boot_id;
    const bool was_unresponsive = parts_.unresponsive_nodes.is_marked(node);
    if (const auto superseded = parts_.sessions.open(node, link, registration, builder.now())) {
        builder.close(*superseded);
    }
    parts_.runs.on_registered(node, same_boot);
    NodeSession& session = parts_.sessions.of(node);
    session.registered = registered_fact(node, registration);
    session.oldest_live = oldest_live_job(builder.state());
    std::vector<JobId> over = registration.tombstones;
    std::erase_if(over, [&](JobId job) { return !is_over(builder.state(), job); });
    welcome(builder, node, std::move(over));
    builder.record(session.registered);
    parts_.unresponsive_nodes.on_registered(builder, node);
    return_to_service(builder, node, before, was_unresponsive);
    parts_.health_checks.on_registered(builder, node);
    parts_.reboots.on_registered(builder, node, same_boot);
    take_gpu_faults(builder, node, session.instance, registration.faults);
    check_hardware(builder, node, registration.found);
    take_inventory(builder, parts_.runs, parts_.run_reports, node, registration, same_boot);
    wait_for_orphans(builder, node);
    parts_.queue.mark(node);
}

void Registrations::check_hardware(TurnBuilder& builder, NodeId node, const NodeSpec& found) {
    const ClusterSpec& spec = builder.state().spec();
    drain_absent_gpus(builder, node, found);
    std::string fault = hardware_shortfall(spec.node(node), found, spec.dimensions,
                                           builder.state().nodes().condition(node).drained_mask());
    if (fault.empty() || builder.state().nodes().condition(node).drained) return;
    builder.log(LogLevel::warning, "node " + spec.node(node).name + " is drained: " + fault);
    builder.record(NodeUpdated{
        .node = node, .drained = true, .reason = std::move(fault), .by = kByController});
}

// The node takes no work until nothing runs there that is nobody's.
void Registrations::wait_for_orphans(TurnBuilder& builder, NodeId node) {
    const std::size_t orphans = parts_.runs.of(node).orphans.size();
    if (orphans == 0) return;
    builder.log(LogLevel::warning, "node " + builder.state().spec().node(node).name + " runs " +
                                       std::to_string(orphans) +
                                       " attempts that are nobody's; it takes no work until "
                                       "they are gone");
    builder.record(NodeNotResponding{node});
}

void Registrations::welcome(TurnBuilder& builder, NodeId node, std::vector<JobId> over) {
    const ClusterSpec& spec = builder.state().spec();
    parts_.sessions.send_order(
        builder, node,
        Welcome{.node = node,
                .heartbeat = builder.scheduling().heartbeat,
                .oldest_live_job = parts_.sessions.of(node).oldest_live,
                .sampling = spec.care.sampling,
                .setup = NodeSetup{.node = spec.node(node), .dimensions = spec.dimensions},
                .over = std::move(over)});
}

void Registrations::on_reconfigured(TurnBuilder& builder, const ClusterSpec& before) {
    const ClusterSpec& spec = builder.state().spec();
    parts_.sessions.install(spec);
    // What agents learn when they register.
    const bool told_otherwise = before.scheduling.heartbeat != spec.scheduling.heartbeat ||
                                before.scheduling.agent_timeout != spec.scheduling.agent_timeout ||
                                before.care != spec.care || before.dimensions != spec.dimensions;
    for (std::size_t i = 0; i < before.nodes.size(); ++i) {
        const NodeId node = NodeId::from_index(i);
        const std::optional<Link> link = parts_.sessions.of(node).link;
        if (link && (told_otherwise || before.nodes[i] != spec.nodes[i])) builder.close(*link);
        // A shorter timeout counts from now, so that no node is late at once.
        if (link || builder.state().nodes().condition(node).responding)
            parts_.sessions.of(node).heard_at = builder.now();
        parts_.queue.mark(node);
    }
}

}  // namespace berth
