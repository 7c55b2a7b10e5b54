// What the options of a scenario's `submit` and `node` lines mean.
#pragma once

#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"
#include "berth/model/reservation.h"
#include "berth/testing/builders.h"
#include "berth/testing/scenario_words.h"

namespace berth::testing {

JobSpec read_submission(const Words& words, Time now);
NodeOptions read_node(const Words& words);
void read_planning(const Words& words, PlanningSpec& planning);
PartitionSpec read_partition(const Words& words, const ClusterSpec& spec);
Reservation read_reservation(const Words& words, const ClusterSpec& spec, Time now);

}  // namespace berth::testing
