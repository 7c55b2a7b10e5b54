// Sessions: which agent speaks for which node, and over which link. Nothing here is recorded: a new
// controller learns it again from the agents' registrations.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "berth/control/agents/per_node.h"
#include "berth/control/turn/turn_builder.h"

namespace berth {

struct NodeSession {
    std::optional<Link> link;  // nullopt: not connected.
    std::uint64_t number = 0;  // Chosen by the agent; reports and orders carry it.
    std::string instance, boot_id;
    Time agent_started_at{};
    Time heard_at{};
    NodeRegistered registered;  // As recorded; recorded again once the orphans are gone.
    JobId oldest_live{0};       // As sent in its Welcome.
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
    std::optional<Link> open(NodeId node, Link link, const Registration& registration, Time now);
    void close(NodeId node);  // Forgets the link; the rest of the session stays.

    // Sends the order once, within the node's session. It is lost if the node is not connected.
    void send_order(TurnBuilder& builder, NodeId node, OrderBody body) const;

private:
    PerNode<NodeSession> nodes_;
    std::map<Link, NodeId> links_;
    std::map<std::string, NodeId, std::less<>> by_name_;
};

}  // namespace berth
