// Of check_plan: which cores are lent, and until when, worked out from the records of the runs core
// by core. It shares no code with what the state and the planner use for that.
#pragma once

#include <map>
#include <vector>

#include "berth/engine/state/cluster_state.h"

namespace berth {

class CheckedLoans {
public:
    explicit CheckedLoans(const ClusterState& state);

    // When the run should have ended. By its limit or deadline; a run that is preempted has its
    // grace time, and then is killed. One that stands still has its cores until those are done that
    // have them, and what is left of its limit after that. All that take turns end together.
    Time end_of(const Job& run) const;
    bool takes_turns(const Job& run) const { return in_turns_.contains(run.id); }
    // What the run holds and did not borrow: of several, a core is that of the first.
    Resources own_part(const Job& run, const NodeShare& share) const;
    // What a job will take of a node besides the cores that runs lend to it.
    Resources taken_besides(JobId job, NodeId node, Resources amount) const;

private:
    struct Held {
        const Job* run = nullptr;
        const NodeShare* share = nullptr;
    };
    Duration over_time(const Job& job) const;
    Duration for_changes(const Job& job) const;
    Time end_by_itself(const Job& run) const;
    Time end_of_lender(const Job& run) const;
    void find_turns(const std::vector<const Job*>& runs);
    void end_together(const std::vector<const Job*>& runs, std::int64_t group);

    const ClusterState& state_;
    std::vector<std::vector<Held>> on_;  // By NodeId, the first start first. Empty: nobody lends.
    std::map<JobId, Time> ends_;         // Of those that lend or take turns.
    std::map<JobId, std::int64_t> in_turns_;            // By run: the number of its group.
    std::map<JobId, std::vector<const Job*>> lenders_;  // By the job that they were preempted for.
};

}  // namespace berth
