#include "berth/engine/cycle/earlier_starts.h"

#include <algorithm>

#include "berth/engine/cycle/job_terms.h"
#include "berth/engine/plan/plan_search.h"

namespace berth {

namespace {

// The time since which this amount is free without a gap until `until`; `until` if it is not.
Time room_since(const Timeline& timeline, const Resources& amount, Time until) {
    Time since = until;
    for (std::size_t i = timeline.step_at(until - Duration(1)) + 1; i-- > 0;) {
        if (!timeline.has_room(i, amount)) break;
        since = timeline.start(i);
    }
    return since;
}

}  // namespace

bool EarlierStarts::could_move(PendingJob& job, const PlannedReservation& planned_start) {
    const Time start = std::max(planned_start.start, cycle_.now() + Duration(1));
    if (bounds_.fresh_hope(*job.shape, start) < start) return true;
    if (job.disturbed && has_room_from(planned_start, start - Duration(1))) return true;
    job.disturbed = false;
    job.looked_after = cycle_.book().last_release();
    return false;
}

bool EarlierStarts::has_room_from(const PlannedReservation& planned_start, Time from) const {
    if (planned_start.start <= cycle_.now()) return true;
    bool any = false;  // Besides what runs lend to it.
    planned_start.each_booked([&](NodeId node, const Resources& amount) {
        const Timeline& timeline = cycle_.book().timeline(node, planned_start.rarely->reservation);
        any = any || timeline.has_room(from, planned_start.start, amount);
    });
    return any;
}

bool EarlierStarts::is_stuck(const Shape& shape, const PlannedReservation& planned_start, Time from,
                             Time latest) {
    const PlanBook& book = cycle_.book();
    const Time now = cycle_.now();
    Kind& kind = *shape.kind;
    if (planned_start.start <= now || latest >= planned_start.start) return false;
    if (kind.needs_a_look() || kind.has_affinities || !bounds_.requirements(kind).known)
        return false;
    const auto has_room = [&](Window window, std::uint32_t nodes) {
        return window.earliest <= window.latest &&
               earliest_room(kind.demand, nodes, window, book, cycle_.derived().usable,
                             kind.requirements);
    };
    const std::uint32_t nodes = kind.demand.nodes_min;
    std::uint32_t own = 0, own_now = 0;
    Time own_since = planned_start.start;
    for (const auto& [node, amount] : planned_start.amounts) {
        const Time since = room_since(book.timeline(node), amount, planned_start.start);
        if (since < planned_start.start) ++own;
        if (since <= now) ++own_now;
        own_since = std::min(own_since, since);
    }
    if (own >= nodes) return false;
    const Duration held = held_length(cycle_.scheduling(), shape.demand(), shape.length);
    if (from <= now && has_room({now, now, held}, nodes - own_now)) return false;
    // A start that is not immediate also needs the slack of a planned start.
    const Duration length = booked_length(cycle_.scheduling(), shape.demand(), shape.length);
    const Time later = std::max(from, now + Duration(1));
    const Time with_own = std::max(later, own_since);
    if (own > 0 && has_room({with_own, latest, length}, nodes - own)) return false;
    return !has_room({later, latest, length}, nodes);
}

}  // namespace berth
