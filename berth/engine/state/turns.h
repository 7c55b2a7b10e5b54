// Runs that take turns: they share cores, and one of them runs at a time. A run begins by turns on
// cores that others hold: it stands still from its start on, and is launched when its first turn
// comes.
//
// Each core counts once, for the run that holds it and began first: that one lends it by turns to
// those that began later (lent_cores.h). Which of them runs is another matter: it changes with each
// time slice, and no order of theirs follows from it.
#pragma once

#include <vector>

#include "berth/engine/state/job_index.h"
#include "berth/engine/state/job_records.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// So many jobs may hold one core of the partition, if all are like this one; 1: it shares none, for
// its partition, its request or the cluster say so. A GPU and its memory have one job at a time,
// whether that runs or stands still. What may take less time than its limit shares nothing, either.
std::uint32_t jobs_on_core(const ClusterSpec& spec, const Job& job);
bool asks_for_gres(const JobRequest& request);

// What is allowed for changes of turn, beyond the limit of a run that may share cores or does: each
// may take an eighth of a time slice, and there are as many as its limit has turns, and some more
// for those that are cut short. A run uses one up when it goes on. REQUIRES: it has a limit.
Duration allowed_for_turns(const SchedulingSpec& scheduling, Duration limit, std::uint32_t changes);
// The same of a run with the changes that it has had; none if it may not share cores.
Duration allowed_for_turns(const ClusterSpec& spec, const Job& run);

// How long a run that may share cores holds them at most, if it starts alone and may exceed its
// limit by `over_time`.
Duration held_in_turns(const SchedulingSpec& scheduling, Duration limit, Duration over_time);

// Whether nothing of the run moves until it is told to go on: its nodes have proved that it stands
// still, it was never launched, or it is being killed where it stood still.
bool is_at_rest(const Job& run);

// The runs that share cores with this one by turns, in id order. REQUIRES: it holds something.
std::vector<JobId> turn_sharers(const JobRecords& jobs, const JobIndex& index, const Job& run);
// Whether there are any, or it waits for its turn alone, because they have ended.
bool takes_turns(const JobRecords& jobs, const JobIndex& index, const Job& run);

// Whether a run that stands still may go on: nobody has cores of it that it lends until they end,
// and all that take turns with it are at rest.
bool may_go_on(const JobRecords& jobs, const JobIndex& index, const Job& run);

}  // namespace berth
