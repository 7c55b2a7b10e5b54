// Network: links between agents and controller, over a transport that loses, repeats, delays and
// reorders, breaks and is cut in one direction or both. A message that is lost breaks its link
// sooner or later, as on any stream; the two ends learn of it at different times, or never.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "berth/control/core/ports.h"
#include "berth/sim/stage.h"

namespace berth::sim {

// Where messages arrive. The world wires these to the processes that live at the moment.
struct Ends {
    std::function<void(NodeId, std::uint64_t link)> agent_link_down;
    std::function<void(NodeId, std::uint64_t link, const Order&)> agent_order;
    std::function<void(NodeId, std::uint64_t link, const Report&)> controller_report;
    std::function<void(std::uint64_t link)> controller_link_lost;
};

class Network {
public:
    Network(Stage& stage, std::size_t nodes, const FaultMix& mix, Rng rng);
    void connect(Ends ends) { ends_ = std::move(ends); }

    // A new link, if the way is open in both directions.
    std::optional<std::uint64_t> dial(NodeId node);
    void send_order(std::uint64_t link, const Order& order);
    void send_report(std::uint64_t link, const Report& report);
    // One end closes, or its process dies. The other learns of it after at most `within`.
    void close_at_agent(std::uint64_t link, Duration within);
    void close_at_controller(std::uint64_t link, Duration within);
    void controller_died();

    // ---- What is done to it.
    void cut(NodeId node);  // Its link breaks now.
    void partition(NodeId node, bool to_agent, bool to_controller, Duration length);
    // An old message of that node's, over the link it has now.
    void replay_order(NodeId node, bool only_launches, Duration within);
    void replay_report(NodeId node, Duration within);
    void calm();  // From here on it is perfect.
    // The last moment at which something went wrong on the node's way.
    Time disturbed_at(NodeId node) const { return ways_[node.index()].disturbed_at; }

private:
    struct Way {
        Time to_agent_closed_until{}, to_controller_closed_until{};
        Time disturbed_at{};
        std::optional<std::uint64_t> link;  // The agent's current one.
        std::deque<Order> old_orders;       // To be replayed.
        std::deque<Report> old_reports;
    };
    struct Ties {
        NodeId node{0};
        bool agent_open = true, controller_open = true;
    };

    // When a message arrives; nothing if it does not. `open` until the way is.
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
    Ends ends_;
    std::vector<Way> ways_;
    std::map<std::uint64_t, Ties> links_;
    std::uint64_t next_link_ = 1;
};

}  // namespace berth::sim
