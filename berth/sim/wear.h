// Wear: node failures. WearAndTear: which nodes fail when, from a seed, and when they return.
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

// Node failures, and the cost of restarted runs.
struct Wear {
    Duration time_between_losses{};  // Mean time between failures of a node; 0: none fails.
    Duration repair = std::chrono::hours(4);
    Duration detection = std::chrono::minutes(5);  // Until the node is known to be down.
    Duration restart_cost{};                       // Of every run but the first.
    // Interval of checkpoints, which keep the progress of a lost run; 0: it starts from the
    // beginning.
    Duration checkpoint{};
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
    // REQUIRES: an event is due.
    Event take(Time now);

private:
    Duration until_loss(NodeId node);

    Wear wear_;
    std::vector<Rng> rngs_;  // One for each node, so that none depends on another.
    EventHeap<Event> due_;
};

}  // namespace berth::sim
