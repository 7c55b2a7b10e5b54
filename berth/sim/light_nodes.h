// LightNodes: the agents of a simulated cluster without faults. They obey at once or after a fixed
// time, and a job's script runs as long as its trace says.
#pragma once

#include <functional>
#include <vector>

#include "berth/control/core/ports.h"
#include "berth/sim/event_heap.h"

namespace berth::sim {

class LightNodes {
public:
    // The script of an attempt.
    struct Script {
        Duration length{};
        std::int16_t exit_code = 0;
    };
    using ScriptOf = std::function<Script(const LaunchAttempt&)>;
    // Called when a script is ended before its time. `now` is as if it had never stood still.
    using CutShort = std::function<void(JobId job, Attempt attempt, Time now)>;

    LightNodes(const ClusterSpec& cluster, Duration latency, ScriptOf script_of,
               CutShort cut_short);

    // The registrations of all nodes when they start.
    std::vector<Input> registrations(Time now) const;

    // The input that the controller gets when a node goes down or comes back. REQUIRES: the node is
    // up (lose) or down (bring_back).
    Input lose(NodeId node, Time now);
    Input bring_back(NodeId node, Time now);
    bool is_up(NodeId node) const { return nodes_[node.index()].up; }

    void take(Time now, const OutgoingOrder& order);

    // When the agents' next input is due; collect() takes all inputs due at that moment.
    std::optional<Time> next() const { return due_.next(); }
    void collect(Time now, std::vector<Input>& inputs);

private:
    // An event due on a node.
    struct Due {
        enum class What : std::uint8_t { started, over, clean, frozen } what = What::started;
        NodeId node{0};
        JobId job{0};
        Attempt attempt{0};
        ExitStatus exit;
        std::uint32_t number = 0;  // Of the freeze; of the script's clock, where it is over.
    };
    // An attempt that runs on a node; its script runs on the batch host.
    struct Live {
        Attempt attempt{0};
        NodeId node{0};
        bool batch_host = false;
        bool ending = false;
        ExitStatus exit;                // Of its script, if nothing stops it …
        Time over_at{};                 // … and when it is over.
        std::uint32_t clock = 0;        // Another one since it was last frozen.
        std::uint32_t change = 0;       // The last order to freeze or thaw it.
        std::optional<Time> frozen_at;  // While it is.
        Duration stood{};               // It stood still so long before.
    };

    struct Node {
        bool up = true;
        std::uint64_t boots = 1;  // Boots of the node; also the session number of its agent.
    };

    Link link_of(NodeId node) const;
    AgentInput registration(NodeId node, Time now) const;
    void launch(Time now, NodeId node, const LaunchAttempt& launch);
    void end(Time now, NodeId node, const EndAttempt& order);
    void freeze(Time now, NodeId node, const FreezeAttempt& order);
    Live* find(JobId job, Attempt attempt, NodeId node);
    AgentInput report(NodeId node, ReportBody body) const;

    const ClusterSpec& cluster_;
    Duration latency_;
    ScriptOf script_of_;
    CutShort cut_short_;
    std::vector<Node> nodes_;
    std::vector<std::vector<Live>> live_;  // By job.
    EventHeap<Due> due_;
};

}  // namespace berth::sim
