// Fit: what a job takes of one node, in amounts. placement_share.h chooses the exact cores and
// devices later. That never fails if the amounts fit, since any free core and any free device of
// the right dimension will do, or has been looked at (Demand::share, linked, Near::any_cores).
#pragma once

#include <span>

#include "berth/engine/placement/demand.h"

namespace berth {

// How the cores lie on the node's sockets.
struct SocketRule {
    std::uint32_t unit = 1;  // So many of a socket at a time, where it has as many …
    std::uint32_t most = 0;  // … and no more than this, but then always by whole units; 0: any.
    bool in_turn = false;    // One unit of each socket in turn; otherwise of few sockets.
    std::uint32_t sockets = 0,
                  gpus = 0;  // Of so many sockets, with so many GPUs near each; 0: any.
    DimensionSet gpu_types = 0;
    friend bool operator==(const SocketRule&, const SocketRule&) = default;
};

// In this order over sockets, by the units of this use.
SocketRule socket_rule(CoreOrder order, const CoreUse& use);

// What is taken of one node.
struct NodeTake {
    Resources amount;
    std::uint32_t tasks = 0;
    std::uint32_t cores = 0;
    std::uint32_t cpus = 0;
    SocketRule sockets;
    std::optional<DeviceShare> share;    // Of a GPU whose rest other jobs may use.
    std::vector<std::int64_t> of_total;  // Amount of each Demand::gres_total, in that order.
};

// The most tasks, up to `most`, that fit in `room` on this node; 0: the node cannot be used.
std::uint32_t tasks_that_fit(const Demand& demand, const NodeSpec& node, const Resources& room,
                             std::uint32_t most);

// What this many tasks take, with one of each gres_total. nullopt: it does not fit in `room`.
std::optional<NodeTake> take_on(const Demand& demand, const NodeSpec& node, const Resources& room,
                                std::uint32_t tasks);

// more_of_total() is how many of gres_total[i] this node can give beyond `take`.
// take_more_of_total() takes `count` of them.
std::int64_t more_of_total(const Demand& demand, const NodeTake& take, const Resources& room,
                           std::size_t i);
void take_more_of_total(const Demand& demand, NodeTake& take, const Resources& room, std::size_t i,
                        std::int64_t count);

// The most tasks that one node may have.
std::uint32_t tasks_per_node_max(const Demand& demand);
// The fewest tasks that a node must be able to take to be of any use.
std::uint32_t tasks_per_node_min(const Demand& demand);

}  // namespace berth
