// ReservationBook: what reservations keep of each node and when, and what their own jobs find
// there.
//
// To everybody else a reservation is like a job that holds its part of the nodes for its time. To
// its own jobs the same part is the only room there is, less what others hold of it all the same.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "berth/engine/plan/timeline.h"
#include "berth/model/reservation.h"

namespace berth {

// A time from its start on, until before its end.
struct Span {
    Time start{}, end{};
    friend bool operator==(const Span&, const Span&) = default;
};

// How much longer the nodes are kept than a reservation lasts: a job as long as all of it never
// starts to the millisecond.
inline constexpr Duration kReservationGrace = std::chrono::minutes(1);

// The occurrences that are planned around, each with its grace: the one under way and those to
// come, so many at most.
inline constexpr std::size_t kOccurrencesMax = 64;
std::vector<Span> spans_of(const Reservation& reservation);

class ReservationBook {
public:
    bool empty() const { return all_.empty(); }
    bool knows(std::string_view name) const { return all_.contains(name); }
    void clear() { all_.clear(); }
    void add(const Reservation& reservation);

    // Books what a job of the reservation has of a node: within the reservation's time it is taken
    // from that, outside of it from what is open to all.
    using Open = std::function<void(Span, const Resources&, bool more)>;  // Changes what is open.
    void change(std::string_view name, NodeId node, Span span, const Resources& amount, bool more,
                const Open& open);

    // What a job of the reservation may have of the node, given what is open to all others.
    Timeline room(std::string_view name, NodeId node, const Timeline& open) const;

    // Books each reservation's part of the nodes as taken.
    void take_from(std::vector<Timeline>& open) const;

private:
    struct Kept {
        Reservation reservation;
        std::vector<Span> spans;
        std::map<NodeId, Timeline> rooms;  // What its jobs have left of it.
    };
    const Kept* find(std::string_view name) const;
    void give_back_others(const Kept& own, NodeId node, Timeline& open) const;

    std::map<std::string, Kept, std::less<>> all_;
};

}  // namespace berth
