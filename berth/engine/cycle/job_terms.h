// The terms of one job: how long its planned start books, the latest start that it accepts, and the
// least time with which it may start.
#pragma once

#include <optional>

#include "berth/engine/derived/order.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

// How much longer than its time limit a planned start reserves: its start and its end may be late
// by this much before a job behind it is delayed.
Duration planned_start_slack(const SchedulingSpec& scheduling);

// The same for a job with this limit. A reservation ends on time: its jobs may be late only by its
// grace period.
Duration slack_of(const SchedulingSpec& scheduling, const Demand& demand, Duration length);

// How long a run of such a job is expected to hold its cores at most, if it starts alone: longer
// than its limit if others may share them.
Duration held_length(const SchedulingSpec& scheduling, const Demand& demand, Duration length);

// For a start that is not now: the time limit with its slack.
Duration booked_length(const SchedulingSpec& scheduling, const Demand& demand, Duration length);

// The latest start to plan.
Time last_start(const ClusterState& state, const PendingJob& job, Time now);

// What the reservation that bounds the job has left, in minutes. nullopt: none bounds it, or it is
// not open now, or has less than a minute left.
std::optional<Duration> reservation_left(const ClusterState& state, const Job& job, Time now);

// The least time with which the job may start now. In a reservation that bounds the job, that is
// all the time the reservation has left: the job does not take a shorter gap.
std::optional<Duration> least_time_now(const ClusterState& state, const Job& job, Time now);

// How long a component of a heterogeneous job runs if it starts now: its limit, or what the
// reservation that bounds it has left.
Duration component_length_now(const ClusterState& state, const PendingJob& component, Time now);

}  // namespace berth
