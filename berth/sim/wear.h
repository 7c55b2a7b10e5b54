// Wear: what goes wrong with nodes. WearAndTear: which nodes are lost when, by a seed, and when
// they are back.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/base/rng.h"
#include "berth/base/time.h"
#include "berth/model/cluster_spec.h"
#include "berth/model/ids.h"
#include "berth/sim/event_heap.h"

namespace berth::sim {

// What goes wrong with nodes, and what runs that are begun again cost.
struct Wear {
    Duration time_between_losses{};  // Of one node, on average; 0: none is lost.
    Duration repair = std::chrono::hours(4);
    Duration detection = std::chrono::minutes(5);  // Until somebody vouches that it is down.
    Duration restart_cost{};                       // Of every run but the first.
    Duration checkpoint{};  // Progress is kept in steps of this; 0: a lost run starts from nothing.
    std::uint64_t seed = 1;
};

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
