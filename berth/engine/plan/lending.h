// What suspension means to the plan. A run that lends its cores has them booked all along, until
// its own end as it is expected now. A run that borrows them has the rest of what it takes booked:
// a core is booked once at each time, and the plan knows when a suspended run goes on.
#pragma once

#include <map>
#include <span>
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
                                    std::vector<JobId> victims);
// The same if these runs stood still, and those others were told to end.
std::vector<Millicpu> lent_to_start(const ClusterState& state, const PlannedAmounts& amounts,
                                    std::span<const JobId> lenders, std::span<const JobId> ending);

// Whether the node still has the cores and threads that it had when the share was taken. Otherwise
// nothing of the share is lent.
bool is_as_taken(const NodeSpec& node, const NodeShare& share);

// The cores of the share that the run could lend: those that nobody has borrowed, and those of
// borrowers that are told to end, as those of `ending` are to be.
BitSet lendable_cores(const ClusterState& state, const Job& run, const NodeShare& share,
                      std::span<const JobId> ending = {});

// When the job will be ended for exceeding its time limit: at the limit, plus OverTimeLimit.
Time limit_end(const ClusterSpec& spec, const Job& job);
// How long a run that is told to end has the plan's trust: KillWait. At least a moment, since it
// holds its nodes until it has ended.
Duration kill_within(const SchedulingSpec& scheduling);
// When the preemptor of now has ended at the latest, if it starts while it has its hold and holds
// cores for that long.
Time given_back_by(const SchedulingSpec& scheduling, Duration held, Time now);
// Whether a run that stands still until `from` would be ended by its deadline instead of its limit.
bool would_miss_deadline(const Job& run, Time from, Time now);

// When all of these runs have ended, which take turns on their cores: until then one of them runs
// at any time, so that they take no longer than one after the other. Orders to change take time as
// well, which is allowed for. With `joining`, a job with this limit begins beside them now.
struct JoiningRun {
    Duration limit{}, over_time{};
    Time now{};
};
Time end_in_turns(const ClusterSpec& spec, const std::vector<const Job*>& runs,
                  std::optional<JoiningRun> joining = {});
// The runs that stand still until one of these has ended, which has cores of them; in id order.
std::vector<JobId> lenders_to(const ClusterState& state, const std::vector<const Job*>& runs);
// The run and all that share cores by turns, with it or with each other; in id order.
std::vector<const Job*> turn_group(const ClusterState& state, const Job& run);

// When nodes should be clean of runs. Each end is computed once: the state must not change
// meanwhile.
class RunEnds {
public:
    explicit RunEnds(const ClusterState& state) : state_(state) {}

    // At the end of its limit, or soon after it was preempted. A suspended run that lends its cores
    // goes on after those that have borrowed them, or the job that it waits for; it holds them at
    // least as long, whatever its deadline. One that takes turns may end last of all that share
    // cores with it. REQUIRES: it has an allocation.
    Time of(const Job& run);
    // When its cores are its own again. REQUIRES: it lends them.
    Time given_back_at(const Job& run);
    // What would be if this run ended then.
    void suppose(JobId run, Time end) { known_[run] = end; }

private:
    Time of_turns(const Job& run);

    const ClusterState& state_;
    std::map<JobId, Time> known_;
};
Time run_end(const ClusterState& state, const Job& run);

// What becomes of a run that stands still, or of one that lends to it.
struct LenderEnd {
    JobId run{0};
    Time goes_on{}, end{};
};
// If these runs stand still until `from`, and those others end now: their ends, and the ends of the
// runs that lend to them.
std::vector<LenderEnd> ends_if_lent(const ClusterState& state, const std::vector<JobId>& lenders,
                                    const std::vector<JobId>& ending, Time from, Time now);

}  // namespace berth
