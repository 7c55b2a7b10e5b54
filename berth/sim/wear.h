// WearAndTear: which nodes are lost when, by a seed, and when they are back.
#pragma once

#include <vector>

#include "berth/base/rng.h"
#include "berth/model/ids.h"
#include "berth/sim/event_heap.h"
#include "berth/sim/simulation.h"

namespace berth::sim {

class WearAndTear {
public:
    enum class What : std::uint8_t { lost, known_down, back };
    struct Event {
        What what = What::lost;
        NodeId node{0};
    };

    WearAndTear(const Wear& wear, const ClusterSpec& cluster, Time begin);

    std::optional<Time> next() const { return due_.next(); }
    // REQUIRES: something is due.
    Event take(Time now);

private:
    Duration until_loss(NodeId node);

    Wear wear_;
    std::vector<Rng> rngs_;  // One for each node, so that none depends on another.
    EventHeap<Event> due_;
};

}  // namespace berth::sim
