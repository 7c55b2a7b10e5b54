// What suspension means to the plan. A run that lends its cores has them booked all along, until
// its own end as it is expected now. A run that borrows them has the rest of what it takes booked:
// a core is booked once at each time, and the plan knows when a suspended run goes on.
#pragma once

#include <vector>

#include "berth/engine/plan/timeline.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/model/promised_amounts.h"

namespace berth {

// Whether some runs stand still, or are about to, so that this job starts on their cores.
bool has_lenders(const ClusterState& state, JobId preemptor);

// By place in the shares: the CPU that this run has of runs which lend it. Empty: of none.
std::vector<Millicpu> lent_to_run(const ClusterState& state, const Job& run);

// By place in the amounts: the CPU that these runs will lend to a job which takes so much. Empty:
// none. Lenders that run and do not stand still yet count, too.
std::vector<Millicpu> lent_to_start(const ClusterState& state, const PlannedAmounts& amounts,
                                    const std::vector<JobId>& lenders);

// The cores of the share that the run could lend: those that nobody has borrowed.
BitSet lendable_cores(const ClusterState& state, const Job& run, const NodeShare& share);

// When the job will be ended for exceeding its time limit: at the limit, plus OverTimeLimit.
Time limit_end(const SchedulingSpec& scheduling, const Job& job);
// When its nodes should be clean: at that time, or soon after it was preempted. A suspended run
// that lends its cores goes on after those that have borrowed them, or the job that it waits for.
// REQUIRES: it has an allocation.
Time run_end(const ClusterState& state, const Job& job);
// When a job that has a hold has ended at the latest, if it starts in time.
Time ended_after_hold(const SchedulingSpec& scheduling, Time hold, Duration limit);
// The end of a run that stands still until `from` and then goes on, or its deadline.
Time end_from(const SchedulingSpec& scheduling, const Job& run, Time from, Time now);

}  // namespace berth
