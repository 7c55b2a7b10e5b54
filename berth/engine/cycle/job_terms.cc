#include "berth/engine/cycle/job_terms.h"

#include <algorithm>

#include "berth/engine/limits/reservation_access.h"
#include "berth/engine/state/job_queries.h"
#include "berth/engine/state/turns.h"

namespace berth {

Duration planned_start_slack(const SchedulingSpec& scheduling) { return scheduling.kill_wait * 2; }

namespace {

Duration sum_of(Duration length, Duration more) {
    return length > Duration::max() - more ? Duration::max() : length + more;
}

}  // namespace

Duration slack_of(const SchedulingSpec& scheduling, const Demand& demand, Duration length) {
    return sum_of(demand.reservation.empty() ? planned_start_slack(scheduling) : kReservationGrace,
                  held_length(scheduling, demand, length) - length);
}

Duration held_length(const SchedulingSpec& scheduling, const Demand& demand, Duration length) {
    if (demand.near.turns) return held_in_turns(scheduling, length, demand.near.over_time);
    // A reservation ends on time: its jobs may take all that it has left.
    return demand.reservation.empty() ? sum_of(length, demand.near.over_time) : length;
}

Duration booked_length(const SchedulingSpec& scheduling, const Demand& demand, Duration length) {
    return sum_of(length, slack_of(scheduling, demand, length));
}

Time last_start(const ClusterState& state, const PendingJob& pending, Time now) {
    Time horizon = after(now, state.spec().scheduling.plan_window);
    if (!pending.watched) return horizon;  // It has no deadline, so its record need not be read.
    const Job& job = *state.find_job(pending.id);
    if (const auto end = wait_end(job)) horizon = std::min(horizon, *end - Duration(1));
    const std::optional<Time>& deadline = job.spec.deadline;
    if (!deadline) return horizon;
    if (pending.shape->length >= *deadline - Time{}) return now - Duration(1);
    return std::min(horizon, *deadline - pending.shape->length);
}

std::optional<Duration> reservation_left(const ClusterState& state, const Job& job, Time now) {
    const Reservation* const reservation = bounding_reservation(state, job);
    constexpr Duration kOneMinute = std::chrono::minutes(1);
    if (reservation == nullptr || now < reservation->start) return std::nullopt;
    const Duration left = (reservation->end - now) / kOneMinute * kOneMinute;
    return left < kOneMinute ? std::nullopt : std::optional(left);
}

std::optional<Duration> least_time_now(const ClusterState& state, const Job& job, Time now) {
    if (job.spec.time_min) return job.spec.time_min;
    return reservation_left(state, job, now);
}

Duration component_length_now(const ClusterState& state, const PendingJob& component, Time now) {
    const Duration length = component.shape->length;
    const auto left = reservation_left(state, *state.find_job(component.id), now);
    return left ? std::min(length, *left) : length;
}

}  // namespace berth
