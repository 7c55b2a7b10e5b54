#include "berth/control/agents/sessions.h"

namespace berth {

void Sessions::install(const ClusterSpec& spec) {
    by_name_.clear();
    for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
        by_name_.emplace(spec.nodes[i].name, NodeId::from_index(i));
    }
}

std::optional<NodeId> Sessions::find(const std::string& name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return std::nullopt;
    return found->second;
}

std::optional<NodeId> Sessions::node_on(Link link) const {
    const auto found = links_.find(link);
    if (found == links_.end()) return std::nullopt;
    return found->second;
}

Sessions::Judgement Sessions::judge(NodeId node, Link link, const Registration& registration,
                                    Time now, Duration heartbeat) const {
    const NodeSession& session = of(node);
    if (session.link == link) {
        if (registration.session == session.number) return {Verdict::welcome_again, ""};
        if (registration.session < session.number) return {Verdict::stale, ""};
        return {Verdict::accept, ""};
    }
    if (node_on(link)) return {Verdict::refuse, "this link is another node's"};
    // The registration was overtaken, or its link has been lost since. Session numbers restart when
    // an agent loses its disk; that agent started later.
    if (registration.session <= session.number &&
        registration.agent_started_at <= session.agent_started_at) {
        return {Verdict::refuse, "it is older than the registration in force"};
    }
    if (!session.link || session.instance == registration.instance) return {Verdict::accept, ""};
    if (now - session.heard_at > 2 * heartbeat) return {Verdict::accept, ""};
    return {Verdict::refuse, "another agent of this name is connected and heard from"};
}

std::optional<Link> Sessions::open(NodeId node, Link link, const Registration& registration,
                                   Time now) {
    NodeSession& session = of(node);
    std::optional<Link> superseded;
    if (session.link && *session.link != link) superseded = session.link;
    close(node);
    links_[link] = node;
    session.link = link;
    session.number = registration.session;
    session.instance = registration.instance;
    session.boot_id = registration.boot_id;
    session.agent_started_at = registration.agent_started_at;
    session.heard_at = now;
    return superseded;
}

void Sessions::close(NodeId node) {
    NodeSession& session = of(node);
    if (session.link) links_.erase(*session.link);
    session.link.reset();
}

void Sessions::send_order(TurnBuilder& builder, NodeId node, OrderBody body) const {
    const NodeSession& session = of(node);
    if (!session.link) return;
    builder.order(*session.link, node,
                  Order{builder.epoch(), session.boot_id, session.number, std::move(body)});
}

}  // namespace berth
