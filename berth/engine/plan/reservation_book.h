// ReservationBook: what reservations keep of each node and when, and what is free there for their
// own jobs.
//
// To other jobs, a reservation is like a job that holds its part of the nodes for its time. Its own
// jobs can use only that part, less what other jobs still hold of it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "berth/engine/plan/timeline.h"
#include "berth/model/reservation.h"

namespace berth {

// The half-open interval [start, end).
struct Span {
    Time start{}, end{};
    friend bool operator==(const Span&, const Span&) = default;
};

// The nodes are kept this much longer than the reservation lasts, since a job as long as the
// reservation never starts at its very first millisecond.
inline constexpr Duration kReservationGrace = std::chrono::minutes(1);

// The occurrences to plan around, the current one and those to come, each with its grace; at most
// this many.
inline constexpr std::size_t kOccurrencesMax = 64;
std::vector<Span> spans_of(const Reservation& reservation);

class ReservationBook {
public:
    bool empty() const { return all_.empty(); }
    bool knows(std::string_view name) const { return all_.contains(name); }
    void clear() { all_.clear(); }
    void add(const Reservation& reservation);

    // Books what a job of the reservation takes of a node: from the reservation within its time,
    // from what is open to all outside of it.
    // Changes what is open to all.
    using Open = std::function<void(Span, const Resources&, bool more)>;
    void change(std::string_view name, NodeId node, Span span, const Resources& amount, bool more,
                const Open& open);

    // What jobs of the reservation may use of the node, given what is open to all.
    Timeline room(std::string_view name, NodeId node, const Timeline& open) const;

    // Books each reservation's part of the nodes as taken.
    void take_from(std::vector<Timeline>& open) const;

private:
    struct Kept {
        Reservation reservation;
        std::vector<Span> spans;
        std::map<NodeId, Timeline> rooms;  // What is left for its jobs.
    };
    const Kept* find(std::string_view name) const;
    void give_back_others(const Kept& own, NodeId node, Timeline& open) const;

    std::map<std::string, Kept, std::less<>> all_;
};

}  // namespace berth
