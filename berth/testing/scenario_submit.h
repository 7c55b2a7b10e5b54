// What the options of a scenario's `submit` and `node` lines mean.
#pragma once

#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"
#include "berth/model/reservation.h"
#include "berth/testing/builders.h"
#include "berth/testing/scenario_words.h"

namespace berth::testing {

JobSpec read_submission(const ScenarioWords& words, Time now);
NodeOptions read_node(const ScenarioWords& words);
void read_planning(const ScenarioWords& words, PlanningSpec& planning);
// mode=requeue; nullopt: not said.
std::optional<PreemptMode> read_preempt_mode(const ScenarioWords& words);
PartitionSpec read_partition(const ScenarioWords& words, const ClusterSpec& spec);
Reservation read_reservation(const ScenarioWords& words, const ClusterSpec& spec, Time now);

}  // namespace berth::testing
