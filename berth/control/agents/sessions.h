// Sessions: which agent speaks for which node, over which link, and what it has confirmed so far.
// Nothing here is recorded: a new controller learns it again from the agents' registrations.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/control/agents/per_node.h"
#include "berth/control/orders/delivery.h"
#include "berth/control/orders/reconcile.h"
#include "berth/control/turn/turn_builder.h"

namespace berth {

// Where the srun of a step listens, and the token that a connection to it must present.
struct SrunPlace {
    std::string address, token;
};

// The part of a step that runs on one node, until it ends there.
struct StepProgress {
    // The part of the launch that all nodes share; dropped once the step runs here. Not recorded:
    // after a controller restart, a step that does not yet run here can no longer be launched.
    std::shared_ptr<const LaunchStep> launch;
    bool started = false;
    bool ending = false;  // Cancelled by scancel.
    SrunPlace srun;       // For sattach.
    Delivery delivery;
};

// One attempt on one node, as confirmed by its agent.
struct RunProgress {
    enum class Need : std::uint8_t { nothing, launch, end };

    Attempt attempt{0};
    bool started = false;
    bool gone = false;          // See Reconciled::gone.
    bool at_once = false;       // End it with SIGKILL.
    Need need = Need::nothing;  // The order that `delivery` repeats.
    Delivery delivery;
    std::map<StepId, StepProgress> steps;
    // Number of the last suspend or resume that is carried out here, and of the one that is ordered
    // (0: none).
    std::uint32_t frozen = 0;
    std::uint32_t freezing = 0;
    Delivery freeze_delivery;
};

struct NodeSession {
    std::optional<Link> link;  // nullopt: not connected.
    std::uint64_t number = 0;  // Chosen by the agent; reports and orders carry it.
    std::string instance, boot_id;
    Time agent_started_at{};
    Time heard_at{};
    NodeRegistered registered;  // As recorded; recorded again once the orphans are gone.
    JobId oldest_live{0};       // As sent in its Welcome.
    std::map<JobId, RunProgress> runs;
    // Attempts that are alive on the node but not in the state. They are being ended; until they
    // are gone, nothing is launched here.
    std::map<AttemptId, Delivery> orphans;

    // The progress of the attempt that currently holds resources on the node.
    RunProgress& run(AttemptId attempt);
};

class Sessions {
public:
    void install(const ClusterSpec& spec);
    std::optional<NodeId> find(const std::string& name) const;

    NodeSession& of(NodeId node) { return nodes_[node]; }
    const NodeSession& of(NodeId node) const { return nodes_[node]; }
    std::optional<NodeId> node_on(Link link) const;  // nullopt: the link is unknown or closed.

    // What to do with a registration.
    enum class Verdict : std::uint8_t {
        accept,
        // It is the registration in force: its welcome was lost, or the message arrived twice.
        welcome_again,
        stale,   // A later one on the same link overtook it: no answer.
        refuse,  // The link is closed; the agent may try again later.
    };
    struct Judgement {
        Verdict verdict = Verdict::accept;
        std::string why;  // Of a refusal.
    };
    // Two agents with the same node name must never both act. The agent that registered first keeps
    // the name while it sends heartbeats; the other is refused and may try again. A restarted agent
    // counts as another agent until its predecessor's link is lost or has sent nothing for two
    // heartbeats.
    Judgement judge(NodeId node, Link link, const Registration& registration, Time now,
                    Duration heartbeat) const;

    // Puts an accepted registration in force. Returns the link that it supersedes, which the caller
    // closes.
    std::optional<Link> open(NodeId node, Link link, const Registration& registration, Time now,
                             bool same_boot);
    void close(NodeId node);  // Forgets the link; what the agent has confirmed stays.

    // Sends the order once, within the node's session. It is lost if the node is not connected.
    void send_order(TurnBuilder& builder, NodeId node, OrderBody body) const;

private:
    PerNode<NodeSession> nodes_;
    std::map<Link, NodeId> links_;
    std::map<std::string, NodeId, std::less<>> by_name_;
};

}  // namespace berth
