// Spans: what was so of a node or a reservation from one time to another. With the runs of jobs
// they tell how much of the cluster there was, and what became of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/model/reservation.h"

namespace berth {

// What a node was in one span of time.
struct NodeStanding {
    Resources capacity;
    // Of a node that takes no work: all that no run held. What runs held was in use.
    Resources unavailable;
    bool planned = false;  // It is unavailable because it is yet to come: a FUTURE or CLOUD node.

    BERTH_FIELDS(NodeStanding, capacity, unavailable, planned)
};

struct ReservationStanding {
    Reservation reservation;
    std::vector<std::string> nodes;  // By name, in the order of its amounts.

    BERTH_FIELDS(ReservationStanding, reservation, nodes)
};

// A node that took no work, and why.
struct NodeEvent {
    bool down = false, drained = false;
    bool responding = true;
    std::string reason, by;

    BERTH_FIELDS(NodeEvent, down, drained, responding, reason, by)
};

template <class Standing>
struct StandingSpan {
    std::string name;
    Time began{};
    std::optional<Time> ended;  // nullopt: it is still so.
    Standing standing;
};
using NodeSpan = StandingSpan<NodeStanding>;
using ReservationSpan = StandingSpan<ReservationStanding>;
using NodeEventSpan = StandingSpan<NodeEvent>;

// Whether one follows from the other by a change in the course of one occurrence. REQUIRES: they
// are of one name.
inline bool are_of_one_occurrence(const ReservationSpan& a, const ReservationSpan& b) {
    return a.standing.reservation.start == b.standing.reservation.start;
}

struct Spans {
    std::vector<NodeSpan> nodes;                // By node, then by time.
    std::vector<ReservationSpan> reservations;  // By name, then by time.
    std::optional<Time>
        since;  // From then on there is a span of each node; nullopt: there is none.
};

}  // namespace berth
