// Network: links between agents and controller over an unreliable transport. It loses, repeats,
// delays and reorders messages; it breaks, and is cut in one or both directions. A lost message
// sooner or later breaks its link, as with any stream; the two ends learn of it at different times,
// or never.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "berth/control/core/ports.h"
#include "berth/sim/stage.h"

namespace berth::sim {

// Where messages arrive. The world connects these to the processes that are alive.
struct LinkEnds {
    std::function<void(NodeId, std::uint64_t link)> agent_link_down;
    std::function<void(NodeId, std::uint64_t link, const Order&)> agent_order;
    std::function<void(NodeId, std::uint64_t link, const Report&)> controller_report;
    std::function<void(std::uint64_t link)> controller_link_lost;
};

class Network {
public:
    Network(Stage& stage, std::size_t nodes, const FaultMix& mix, Rng rng);
    void connect(LinkEnds ends) { ends_ = std::move(ends); }

    // A new link; nullopt if one direction is blocked.
    std::optional<std::uint64_t> dial(NodeId node);
    void send_order(std::uint64_t link, const Order& order);
    void send_report(std::uint64_t link, const Report& report);
    // One end closes, or its process dies. The other end learns of it within at most `within`.
    void close_at_agent(std::uint64_t link, Duration within);
    void close_at_controller(std::uint64_t link, Duration within);
    void controller_died();

    // ---- Faults.
    void cut(NodeId node);  // Breaks its link now.
    void partition(NodeId node, bool to_agent, bool to_controller, Duration length);
    // Delivers an old message of the node over its present link.
    void replay_order(NodeId node, bool only_launches, Duration within);
    void replay_report(NodeId node, Duration within);
    void calm();  // From now on the network is perfect.
    // When something last went wrong between the node and the controller.
    Time disturbed_at(NodeId node) const { return ways_[node.index()].disturbed_at; }

private:
    struct Way {
        Time to_agent_closed_until{}, to_controller_closed_until{};
        Time disturbed_at{};
        std::optional<std::uint64_t> link;  // The agent's present link.
        std::deque<Order> old_orders;       // For replay.
        std::deque<Report> old_reports;
    };
    struct Ties {
        NodeId node{0};
        bool agent_open = true, controller_open = true;
    };

    // The arrival times of a message's copies; empty if it is lost. `closed_until`: until then the
    // direction is blocked.
    std::vector<Duration> fate(std::uint64_t link, Time closed_until);
    void breaks(std::uint64_t link, Duration within);
    void deliver_order(std::uint64_t link, const Order& order);
    void deliver_report(std::uint64_t link, const Report& report);
    Duration some(Duration most) { return Duration(rng_.between(0, most.count())); }
    void disturb(NodeId node, Duration ahead = {}) {
        Time& last = ways_[node.index()].disturbed_at;
        last = std::max(last, stage_.now() + ahead);
    }

    Stage& stage_;
    FaultMix mix_;
    Rng rng_;
    LinkEnds ends_;
    std::vector<Way> ways_;
    std::map<std::uint64_t, Ties> links_;
    std::uint64_t next_link_ = 1;
};

}  // namespace berth::sim
