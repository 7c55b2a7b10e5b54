// Sessions: which agent speaks for which node, over which link, and what it has confirmed so far.
// All of it is volatile: a new controller learns it again from the agents' registrations.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/control/orders/delivery.h"
#include "berth/control/orders/reconcile.h"
#include "berth/control/turn/input.h"

namespace berth {

// Where the srun of a step listens, and what proves to it that one may come.
struct SrunPlace {
    std::string address, token;
};

// One node's part of a step, until it has ended there.
struct StepProgress {
    // What all its nodes' orders have in common; dropped once it runs here. Without it a step that
    // is not running here can never be launched: a controller does not remember it over a restart.
    std::shared_ptr<const LaunchStep> launch;
    bool started = false;
    bool ending = false;  // By scancel.
    SrunPlace srun;       // For who attaches to the step.
    Delivery delivery;
};

// One attempt on one node, as its agent has confirmed it.
struct RunProgress {
    enum class Need : std::uint8_t { nothing, launch, end };

    Attempt attempt{0};
    bool started = false;
    bool gone = false;          // See Reconciled::gone.
    bool at_once = false;       // To be ended by KILL.
    Need need = Need::nothing;  // What `delivery` repeats.
    Delivery delivery;
    std::map<StepId, StepProgress> steps;
    std::uint32_t frozen = 0;    // The last change of its suspension that is carried out here …
    std::uint32_t freezing = 0;  // … and the one that is ordered; 0: none.
    Delivery freeze_delivery;
};

struct NodeSession {
    std::optional<Link> link;  // nullopt: nothing can be said to it now.
    std::uint64_t number = 0;  // The agent's own, which its reports and our orders carry.
    std::string instance, boot_id;
    Time agent_started_at{};
    Time heard_at{};
    NodeRegistered registered;  // As recorded; recorded again once its strays are gone.
    JobId oldest_live{0};       // As its welcome said.
    std::map<JobId, RunProgress> runs;
    std::map<AttemptId, Delivery> orphans;  // Live there, and nobody's: they are being ended. Until
                                            // they are gone nothing is launched there.
    std::optional<Time> silent_at;          // When its silence was noted; nullopt: not by us.
    bool fencing = false;                   // The fence was asked, and has not answered.
    Time fence_at{};                        // Not before.
    std::optional<Time> health_at, reboot_at;  // When to ask for each (again).
    bool health_is_first = false;              // Of this session.
    std::optional<Time> check_at;              // As in Sessions::checks_.

    // The progress of the attempt that now holds something on the node.
    RunProgress& run(AttemptId attempt);
};

class Sessions {
public:
    explicit Sessions(std::size_t nodes) : nodes_(nodes) {}
    void resize(std::size_t nodes) { nodes_.resize(nodes); }

    NodeSession& of(NodeId node) { return nodes_[node.index()]; }
    const NodeSession& of(NodeId node) const { return nodes_[node.index()]; }
    std::optional<NodeId> node_on(Link link) const;  // nullopt: not, or not any more.

    // What to do with a registration.
    enum class Verdict : std::uint8_t {
        accept,
        welcome_again,  // The very one that was accepted: its welcome was lost, or it came twice.
        stale,          // Overtaken on its own link by a later one: not a word.
        refuse,         // The link is closed; the agent may try again later.
    };
    struct Judgement {
        Verdict verdict = Verdict::accept;
        std::string why;  // Of a refusal.
    };
    // Two agents with one name must never both act. The one that registered first keeps the name as
    // long as it is heard; the other is refused, and may try again. An agent that was started again
    // is such an other until its predecessor's link is lost, or has been silent for two heartbeats.
    Judgement judge(NodeId node, Link link, const Registration& registration, Time now,
                    Duration heartbeat) const;

    // The registration is accepted. Returns the link that it supersedes, to be closed.
    std::optional<Link> open(NodeId node, Link link, const Registration& registration, Time now,
                             bool same_boot);
    void close(NodeId node);  // Forgets the link; what was confirmed stays.

    // Nodes to look at: those marked, and those whose time has come. In node order.
    void mark(NodeId node);
    std::vector<NodeId> take_marked();
    void check_by(NodeId node, std::optional<Time> at);  // Instead of what was said before.
    std::vector<NodeId> take_due(Time now);
    std::optional<Time> next_check() const;

private:
    std::vector<NodeSession> nodes_;
    std::map<Link, NodeId> links_;
    std::set<NodeId> marked_;
    std::set<std::pair<Time, NodeId>> checks_;
};

}  // namespace berth
